"""What a page shows where it has nothing to show: why, and what to do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.theme import Theme


class Placeholder(QWidget):
    """A large icon, a title, a sentence, buttons; in the middle."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name = "inbox"
        self._icon = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter)
        self.title = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.text = QLabel(self, alignment=Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, wordWrap=True)
        for label in (self.title, self.text):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._icon.setMinimumHeight(48)
        middle = QHBoxLayout()  # a label of its own alignment would not be asked for its height
        middle.addStretch(1)
        middle.addWidget(self.text, 6)
        middle.addStretch(1)
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        font.setBold(True)
        self.title.setFont(font)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 24)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(self._icon)
        layout.addWidget(self.title)
        layout.addLayout(middle)
        layout.addSpacing(6)
        layout.addLayout(self._buttons)
        layout.addStretch(3)
        theme.changed.connect(self._style)

    def say(self, icon: str, title: str, text: str, *actions: tuple[str, Callable[[], object]]) -> None:
        """Show this; each action is a button (words, what it does), the first one stands out."""
        self._icon_name = icon
        self.title.setText(title)
        self.text.setText(text)
        self.text.setVisible(bool(text))
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._buttons.addStretch()
        for number, (words, act) in enumerate(actions):
            button = QPushButton(words, self, default=number == 0)
            button.clicked.connect(lambda _checked=False, act=act: act())
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._style()

    def _style(self) -> None:
        self._icon.setPixmap(self._theme.icon(self._icon_name).pixmap(48, 48))
