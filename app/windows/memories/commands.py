"""Every command of the page as an action: words, icon, shortcut. Menus, context menu and cheat sheet show the same ones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from app.theme import Theme


class Commands(QObject):
    """Actions only; the page connects and enables them."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        make = self._make
        self.add = make(self.tr("Add memory…"), "plus", "Ctrl+N")
        self.edit = make(self.tr("Edit text"), "pencil", "F2")
        self.confirm = make(self.tr("Confirm"), "check-check", "Ctrl+Shift+C", self.tr("It is still true"))
        self.lock = make(self.tr("Lock"), "lock", "Ctrl+K", self.tr("Assistants cannot change, expire or forget it"))
        self.unlock = make(self.tr("Unlock"), "lock-open", "Ctrl+Shift+K")
        self.add_tags = make(self.tr("Add tags…"), "tag", "Ctrl+Shift+A")
        self.remove_tags = make(self.tr("Take tags away…"), "tags", "Ctrl+Alt+Shift+A")
        self.replace = make(self.tr("Find and replace…"), "replace", "Ctrl+Alt+F")
        self.trash = make(self.tr("Move to trash"), "trash-2", "Del")
        self.restore = make(self.tr("Restore"), "rotate-ccw", "Ctrl+Shift+U")
        self.erase = make(self.tr("Delete for good…"), "x", "Shift+Del")
        self.copy = make(self.tr("Copy texts"), "copy", "Ctrl+C")
        self.select_all = make(self.tr("Select all"), "", "Ctrl+A")
        self.invert = make(self.tr("Invert selection"), "", "Ctrl+Alt+S")
        self.search = make(self.tr("Search"), "search", "Ctrl+F")
        self.table = make(self.tr("Go to the table"), "", "Ctrl+L")
        self.sidebar = make(self.tr("Go to the sidebar"), "", "Ctrl+Shift+R")
        self.keep_search = make(self.tr("Keep this search…"), "bookmark-plus", "Ctrl+Shift+S")
        self.refresh = make(self.tr("Refresh"), "refresh-cw", "F5")
        self.show_editor = make(self.tr("Show the editor"), "panel-right", "Ctrl+E")
        self.show_editor.setCheckable(True)
        self.show_editor.setChecked(True)
        self.stacked = make(self.tr("Editor below the table"), "", "Ctrl+Shift+L")
        self.stacked.setCheckable(True)

    @property
    def for_rows(self) -> tuple[QAction, ...]:
        """Those that need live rows."""
        return (self.confirm, self.lock, self.unlock, self.add_tags, self.remove_tags, self.trash)

    def on_table(self, *actions: QAction) -> None:
        """Their keys mean something else in a text, so they count in the table alone."""
        for action in actions:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def connect_all(self, slots: dict[QAction, Callable[[], object]]) -> None:
        """Give each action its work."""
        for action, slot in slots.items():
            action.triggered.connect(lambda _checked=False, slot=slot: slot())

    def _make(self, words: str, icon: str, keys: str, tip: str = "") -> QAction:
        action = QAction(words, self)
        action.setShortcut(QKeySequence(keys))
        shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{tip or words.rstrip('…')} ({shown})")
        if icon:
            self._theme.bind(action, icon)
        return action
