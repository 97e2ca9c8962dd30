"""The search box: one line with a small language, completion of its keys, history, and the switch between words and meaning."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from app.models.query import term
from app.models.search import Search
from app.theme import Theme
from app.widgets.naming import named

KEYS = (
    "tag:", "source:", "client:", "session:", "is:trash", "is:archived", "is:expired", "is:locked", "is:untagged", "is:conflict",
    "before:", "after:", "confirmed-before:", "importance:>", "importance:<", "id:",
)  # fmt: skip
HISTORY = 30  # queries that are remembered


class LastWordCompleter(QCompleter):
    """Completes the last word of a line, and leaves what is before it."""

    def splitPath(self, path: str) -> list[str]:
        """What is completed."""
        word = path.rsplit(" ", 1)[-1].removeprefix("-")
        return [word if len(word) > 1 else "\0"]

    def pathFromIndex(self, index: object) -> str:
        """The whole line after completion."""
        found = str(super().pathFromIndex(index))  # type: ignore[arg-type]  # the stub names QModelIndex, which this is
        widget = self.widget()
        line = widget.text() if isinstance(widget, QLineEdit) else ""
        before, space, word = line.rpartition(" ")
        return f"{before}{space}{'-' if word.startswith('-') else ''}{found}"


class SearchBox(QWidget):
    """Bound to one `Search`."""

    left = Signal()  # the person goes on to the table
    save_wanted = Signal()

    def __init__(self, search: Search, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._search = search
        self._history: list[str] = []
        self.input = QLineEdit(self, clearButtonEnabled=True)
        self.input.setAccessibleName(self.tr("Search memories"))
        self.input.setPlaceholderText(self.tr('Search: words, "a phrase", tag:work, is:locked, before:2026-10 …'))
        self.input.setToolTip(self.tr("Press F1 for all that can be looked for"))
        for button in self.input.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear the search"))
        self._glass = QAction(self.tr("Search"), self)
        theme.bind(self._glass, "search")
        self.input.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.save = QAction(self.tr("Keep this search…"), self)
        theme.bind(self.save, "bookmark-plus")
        self.save.triggered.connect(self.save_wanted)
        self.input.addAction(self.save, QLineEdit.ActionPosition.TrailingPosition)
        self.mode = named(QComboBox(self), self.tr("How to search"))
        self.mode.addItem(self.tr("By words"), "words")
        self.mode.addItem(self.tr("By meaning"), "meaning")
        self.mode.setToolTip(self.tr("By words finds what is written; by meaning also finds what says the same in other words"))
        self.problem = QLabel(self, wordWrap=True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.hide()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.input, 1)
        line.addWidget(self.mode)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(line)
        layout.addWidget(self.problem)
        self._words = QStringListModel(list(KEYS), self)
        completer = LastWordCompleter(self._words, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.input.setCompleter(completer)
        self.input.installEventFilter(self)
        self.input.textChanged.connect(search.type)
        self.input.returnPressed.connect(self._enter)
        self.mode.currentIndexChanged.connect(lambda: search.ask(mode=self.mode.currentData()))
        search.changed.connect(self._follow)
        search.found.connect(lambda found: self._say(found.problem))
        self._follow()

    @property
    def history(self) -> list[str]:
        """Queries that were entered, newest first."""
        return self._history

    @history.setter
    def history(self, queries: list[str]) -> None:
        self._history = queries[:HISTORY]

    def suggest(self, tags: Iterable[str]) -> None:
        """Complete these tags too."""
        self._words.setStringList([*KEYS, *(term("tag", tag) for tag in tags)])

    def begin(self, text: str = "") -> None:
        """Put the cursor here; with a text, begin a new search with it."""
        self.input.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if text:
            self.input.setText(text)
        else:
            self.input.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape clears, then leaves; Down goes to the table, and through the history where the line is empty."""
        if watched is self.input and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.input.clear() if self.input.text() else self.left.emit()
                return True
            if event.key() == Qt.Key.Key_Up and self._history:
                self._recall(1)
                return True
            if event.key() == Qt.Key.Key_Down:
                self._recall(-1) if self._history and self.input.text() in self._history else self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _recall(self, step: int) -> None:
        text = self.input.text()
        place = self._history.index(text) if text in self._history else -1
        place = min(place + step, len(self._history) - 1)
        self.input.setText(self._history[place] if place >= 0 else "")

    def _enter(self) -> None:
        query = self.input.text().strip()
        if query:
            self._history = [query, *(other for other in self._history if other != query)][:HISTORY]
        self._search.refresh()
        self.left.emit()

    def _follow(self) -> None:
        if self.input.text() != self._search.query:
            self.input.setText(self._search.query)
        self.mode.setCurrentIndex(self.mode.findData(self._search.mode))
        self.save.setVisible(bool(self._search.query.strip()))

    def _say(self, problem: str | None) -> None:
        self.problem.setText(problem or "")
        self.problem.setVisible(bool(problem))
