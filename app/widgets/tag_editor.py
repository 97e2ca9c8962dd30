"""Tags as chips: each can be taken away, new ones are typed behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.theme import Theme
from app.widgets.flow import FlowLayout
from app.widgets.naming import named


class TagEditor(QWidget):
    """`edited` comes when the person adds or takes away tags: (added, removed)."""

    edited = Signal(list, list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tags: list[str] = []
        self._chips: list[QToolButton] = []
        self._layout = FlowLayout(self)
        self._known = QStringListModel(self)
        self.input = named(QLineEdit(self, placeholderText=self.tr("Add a tag")), self.tr("Add a tag"))
        self.input.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.input.setMinimumWidth(110)
        completer = QCompleter(self._known, self.input)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.input.setCompleter(completer)
        self.input.returnPressed.connect(self.commit)
        self.input.editingFinished.connect(self.commit)
        self.input.textEdited.connect(self._typed)
        self.input.installEventFilter(self)
        self._layout.addWidget(self.input)
        self.setFocusProxy(self.input)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._style)

    @property
    def tags(self) -> Sequence[str]:
        """The tags in their order."""
        return self._tags

    def suggest(self, names: Iterable[str]) -> None:
        """Offer these while typing."""
        self._known.setStringList(sorted(names))

    def show_tags(self, tags: Iterable[str]) -> None:
        """Show other tags; what is typed stays."""
        tags = list(tags)
        if tags == self._tags:
            return
        self._tags = tags
        for chip in self._chips:
            self._layout.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(tag) for tag in tags]
        for number, chip in enumerate(self._chips):
            self._layout.insert(number, chip)
            chip.show()
        self._style()
        self.updateGeometry()

    def commit(self) -> None:
        """Make tags of what is typed."""
        typed = [name.strip() for name in self.input.text().split(",")]
        self.input.clear()
        new = [name for name in dict.fromkeys(typed) if name and name not in self._tags]
        if new:
            self.show_tags([*self._tags, *new])
            self.edited.emit(new, [])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Backspace in the empty input takes the last tag away."""
        if (
            watched is self.input
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Backspace
            and not self.input.text()
            and self._tags
        ):
            self._remove(self._tags[-1])
            return True
        return super().eventFilter(watched, event)

    def _typed(self, text: str) -> None:
        if "," in text:
            self.commit()

    def _remove(self, tag: str) -> None:
        self.show_tags([other for other in self._tags if other != tag])
        self.edited.emit([], [tag])
        self.input.setFocus()

    def _chip(self, tag: str) -> QToolButton:
        chip = QToolButton(self)
        # An ampersand in a tag is no shortcut.
        chip.setText(tag.replace("&", "&&"))
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setToolTip(self.tr("Take this tag away"))
        chip.setAccessibleName(self.tr("Take away the tag %1").replace("%1", tag))
        chip.clicked.connect(lambda: self._remove(tag))
        return chip

    def _style(self) -> None:
        chip, text, line = (self._theme.colour(name).name() for name in ("chip", "text", "line"))
        cross = self._theme.icon("x")
        for button in self._chips:
            button.setIcon(cross)
            button.setStyleSheet(
                f"QToolButton {{ background: {chip}; color: {text}; border: 1px solid {chip}; border-radius: 9px; padding: 1px 6px; }}"
                f"QToolButton:hover, QToolButton:focus {{ border-color: {line}; }}"
            )
