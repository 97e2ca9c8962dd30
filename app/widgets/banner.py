"""A bar in a window that says what is wrong, why, and offers what to do. Also the short notice with Undo."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.theme import Theme
from app.widgets.naming import named

NOTICE_MS = 8000


class Banner(QFrame):
    """Icon, text, up to two buttons, and a cross."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, closable: bool = True) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name, self._ground = "info", "note"
        self._icon = QLabel(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.buttons = [QPushButton(self), QPushButton(self)]
        self._actions: list[Callable[[], object]] = []
        for number, button in enumerate(self.buttons):
            button.setVisible(False)
            button.clicked.connect(lambda _checked=False, number=number: self._actions[number]())
        self._cross = named(QToolButton(self, autoRaise=True), self.tr("Close this message"))
        self._cross.setToolTip(self.tr("Close"))
        self._cross.clicked.connect(self.hide)
        self._cross.setVisible(closable)
        theme.bind(self._cross, "x")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(10)
        for widget in (self._icon, self.label, *self.buttons, self._cross):
            layout.addWidget(widget)
        theme.changed.connect(self._style)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def say(self, text: str, *actions: tuple[str, Callable[[], object]], warning: bool = False, seconds: float = 0) -> None:
        """Show a text with buttons (words, what they do); after `seconds` it goes by itself."""
        self.label.setText(text)
        self._actions = [action for _, action in actions]
        for number, button in enumerate(self.buttons):
            button.setVisible(number < len(actions))
            if number < len(actions):
                button.setText(actions[number][0])
        self._icon_name, self._ground = ("triangle-alert", "warning") if warning else ("info", "note")
        self._style()
        self.show()
        self._timer.stop()
        if seconds:
            self._timer.start(int(seconds * 1000))

    def _style(self) -> None:
        ground, line = self._theme.colour(self._ground).name(), self._theme.colour("line").name()
        self.setStyleSheet(f"Banner {{ background: {ground}; border: 1px solid {line}; border-radius: 6px; }}")
        self._icon.setPixmap(self._theme.icon(self._icon_name).pixmap(18, 18))
