"""Colours and icons: Fusion with palettes of our own, light and dark, following the system where it says what it wants."""

from __future__ import annotations

import enum
import weakref
from functools import cache
from typing import Protocol

import shiboken6
from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from app.client import resource

ROLES = {
    "window": (QPalette.ColorRole.Window,),
    "base": (QPalette.ColorRole.Base, QPalette.ColorRole.ToolTipBase),
    "alternate": (QPalette.ColorRole.AlternateBase,),
    "button": (QPalette.ColorRole.Button,),
    "text": (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.ToolTipText,
    ),
    "faint": (QPalette.ColorRole.PlaceholderText,),
    "accent": (QPalette.ColorRole.Highlight, QPalette.ColorRole.Accent),
    "on_accent": (QPalette.ColorRole.HighlightedText,),
    "link": (QPalette.ColorRole.Link, QPalette.ColorRole.LinkVisited),
    "light": (QPalette.ColorRole.Light, QPalette.ColorRole.Midlight),
    "line": (QPalette.ColorRole.Mid, QPalette.ColorRole.Dark),
    "shadow": (QPalette.ColorRole.Shadow,),
}
LIGHT = {
    "window": "#f5f6f8", "base": "#ffffff", "alternate": "#f8f9fb", "button": "#fbfcfd", "text": "#1c2128", "faint": "#667080",
    "accent": "#2f66d0", "on_accent": "#ffffff", "link": "#2458bd", "light": "#ffffff", "line": "#c9ced6", "shadow": "#8b93a0",
    "good": "#1f7a4d", "attention": "#9a5b00", "bad": "#b3261e", "note": "#eef3fc", "warning": "#fff4e0", "chip": "#e7ecf5",
}  # fmt: skip
# Inputs are lighter than the window, for Fusion draws their edges darker than it.
DARK = {
    "window": "#191c21", "base": "#2b3038", "alternate": "#2f353e", "button": "#3a414c", "text": "#e6e9ee", "faint": "#a3adbc",
    "accent": "#3767c4", "on_accent": "#ffffff", "link": "#93b6f6", "light": "#3d444f", "line": "#4a525e", "shadow": "#0c0e11",
    "good": "#63c490", "attention": "#e5ae57", "bad": "#f28b82", "note": "#233049", "warning": "#40331d", "chip": "#3a4352",
}  # fmt: skip
# Text and lines at full strength; the accents keep a contrast of seven to one with their text.
LIGHT_CONTRAST = {
    **LIGHT, "window": "#ffffff", "text": "#000000", "faint": "#3a3a3a", "line": "#000000", "accent": "#0b3fa0", "link": "#0b3fa0",
    "bad": "#8a0d07", "attention": "#6b3d00", "good": "#0b5a33",
}  # fmt: skip
DARK_CONTRAST = {
    **DARK, "window": "#000000", "base": "#000000", "text": "#ffffff", "faint": "#d6d6d6", "line": "#ffffff", "accent": "#9dc0ff",
    "on_accent": "#000000", "link": "#9dc0ff",
}  # fmt: skip
SIZES = (16, 20, 24, 32, 48)


class Look(enum.StrEnum):
    """What the person chose; `system` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class HasIcon(Protocol):
    """Actions, buttons."""

    def setIcon(self, icon: QIcon, /) -> object: ...


class Theme(QObject):
    """The colours of one application. `changed` comes after palette and bound icons have been replaced."""

    changed = Signal()

    def __init__(self, app: QApplication, look: Look = Look.SYSTEM, parent: QObject | None = None, *, contrast: bool | None = None) -> None:
        super().__init__(parent or app)
        self._app = app
        self._look = look
        self._contrast = contrast
        self._bound: weakref.WeakKeyDictionary[HasIcon, str] = weakref.WeakKeyDictionary()
        self._icons: dict[str, QIcon] = {}  # of these colours; delegates ask for them with each line that they paint
        self.colours = LIGHT
        app.setStyle("Fusion")
        self._hints = app.styleHints()  # kept: without it the wrapper of `accessibility()` dies with the one of the hints
        self._hints.colorSchemeChanged.connect(self.apply)
        self._hints.accessibility().contrastPreferenceChanged.connect(self.apply)
        self.apply()

    @property
    def dark(self) -> bool:
        """Whether dark colours are shown now."""
        if self._look is Look.SYSTEM:
            return self._hints.colorScheme() == Qt.ColorScheme.Dark
        return self._look is Look.DARK

    @property
    def high_contrast(self) -> bool:
        """Whether the person asked for strong contrast."""
        if self._contrast is not None:
            return self._contrast
        return self._hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast

    def choose(self, look: Look) -> None:
        """Show another look from now on."""
        self._look = look
        self.apply()

    def apply(self) -> None:
        """Set the palette that fits now, and recolour the bound icons."""
        if self.high_contrast:
            self.colours = DARK_CONTRAST if self.dark else LIGHT_CONTRAST
        else:
            self.colours = DARK if self.dark else LIGHT
        self._icons.clear()
        self._app.setPalette(palette_of(self.colours))
        for target, name in list(self._bound.items()):
            if shiboken6.isValid(target):
                target.setIcon(self.icon(name))
        self.changed.emit()

    def colour(self, name: str) -> QColor:
        """One of the named colours of LIGHT and DARK."""
        return QColor(self.colours[name])

    def icon(self, name: str) -> QIcon:
        """An icon of `resources/icons` in the colours of the moment; `bind` where it must follow them."""
        if name not in self._icons:
            self._icons[name] = self._draw(name)
        return self._icons[name]

    def _draw(self, name: str) -> QIcon:
        icon = QIcon()
        for mode, colour in (
            (QIcon.Mode.Normal, self.colours["text"]),
            (QIcon.Mode.Active, self.colours["text"]),
            (QIcon.Mode.Selected, self.colours["on_accent"]),
            (QIcon.Mode.Disabled, self.colours["line"]),
        ):
            for size in SIZES:
                icon.addPixmap(picture(name, colour, size), mode)
        return icon

    def bind(self, target: HasIcon, name: str) -> None:
        """Give an action or button an icon, now and after each change of colours."""
        self._bound[target] = name
        target.setIcon(self.icon(name))


def palette_of(colours: dict[str, str]) -> QPalette:
    """A full palette; what is disabled is drawn in the faint colour."""
    palette = QPalette()
    for name, roles in ROLES.items():
        for role in roles:
            palette.setColor(role, QColor(colours[name]))
    palette.setColor(QPalette.ColorRole.BrightText, QColor(colours["bad"]))
    faint = QColor(colours["faint"])
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(colours["line"]))
    return palette


def picture(name: str, colour: str, size: int) -> QPixmap:
    """An icon as a square picture of `size` pixels."""
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(_svg(name).replace(b"currentColor", colour.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


@cache
def _svg(name: str) -> bytes:
    return resource("icons", f"{name}.svg").read_bytes()
