"""The page of memories: sidebar, search box, table and editor, and what passes between them."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QLocale, QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDialog, QMenu, QSplitter, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from app.client import ApiError, Changes, Done, Found, MemoryRow, Scope
from app.context import Context
from app.models.memory_table import MemoryTable
from app.models.query import Join, joined
from app.models.search import Search
from app.models.sidebar import Leaf, SidebarTree
from app.widgets.banner import Banner
from app.widgets.placeholder import Placeholder
from app.windows.memories.commands import Commands
from app.windows.memories.dialogs import AddDialog, EraseDialog, SaveSearchDialog, TagsDialog
from app.windows.memories.editor import Editor
from app.windows.memories.operations import Chosen, Operations
from app.windows.memories.replace import ReplaceDialog
from app.windows.memories.search_box import SearchBox
from app.windows.memories.sidebar import SidebarView
from app.windows.memories.states import explain_empty, explain_failure, explain_start
from app.windows.memories.view import MemoryView
from app.windows.pages import EDIT, FILE, PAGE, VIEW, Menus, Page

NARROW = 1000  # pixels of width under which the editor goes below the table
MOST_COPIED = 10_000


class MemoriesPage(Page):
    """Everything about memories."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.search = Search(context.bridge, self)
        self.table = MemoryTable(self)
        self.tree = SidebarTree(self)
        self.operations = Operations(context, self)
        self.commands = Commands(context.theme, self)
        self.sidebar = SidebarView(self.tree, context.theme, self)
        self.box = SearchBox(self.search, context.theme, self)
        self.view = MemoryView(self.table, context.theme, self)
        self.editor = Editor(context, self.operations, self)
        self.banner = Banner(context.theme, self)
        self.placeholder = Placeholder(context.theme, self)
        self.middle = QStackedWidget(self)
        self._asked = False  # whether the first search was answered
        self._go_to: int | None = None  # shown as soon as it is found
        self._build()
        self._connect_data()
        self._connect_commands()
        self._load_choices()
        self._server_changed()
        if context.watch.database_ready:
            self._refill()

    # What the window asks for.

    def menus(self) -> Menus:
        """File, Edit, Memory and View."""
        its = self.commands
        return {
            FILE: [its.add],
            EDIT: [its.copy, its.select_all, its.invert, None, its.replace],
            PAGE: [
                its.edit, its.confirm, its.lock, its.unlock, None, its.add_tags, its.remove_tags, None, its.trash, its.restore, its.erase,
            ],
            VIEW: [its.search, its.table, its.sidebar, its.keep_search, None, its.show_editor, its.stacked, None, its.refresh],
        }  # fmt: skip

    def entered(self) -> None:
        """The table gets the keyboard."""
        self.view.setFocus()
        self._tell_counts()

    def leave(self) -> None:
        """Save the text and the choices."""
        self.editor.one.save()
        settings = self._context.settings
        settings.setValue("memories/header", self.view.horizontalHeader().saveState())
        settings.setValue("memories/splitter", self._splitter.saveState())
        settings.setValue("memories/query", self.search.query)
        settings.setValue("memories/history", self.box.history)
        settings.setValue("memories/editor", self.commands.show_editor.isChecked())
        settings.setValue("memories/stacked", self._stacked_choice)

    def begin_search(self, text: str = "") -> None:
        """Put the cursor into the search box."""
        self.box.begin(text)

    def add_memory(self) -> None:
        """Open the dialog for a new one."""
        dialog = AddDialog(self._context, self.operations, self._added, self)
        dialog.open()

    # Building.

    def _build(self) -> None:
        tools = QToolBar(self)
        tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        tools.setIconSize(QSize(18, 18))
        its = self.commands
        for action in (its.add, None, its.confirm, its.lock, its.add_tags, None, its.trash, its.restore, its.erase, None, its.show_editor):
            tools.addSeparator() if action is None else tools.addAction(action)
        self.middle.addWidget(self.view)
        self.middle.addWidget(self.placeholder)
        centre = QWidget(self)
        box = QVBoxLayout(centre)
        box.setContentsMargins(8, 8, 8, 0)
        box.setSpacing(6)
        for widget in (self.box, tools, self.banner):
            box.addWidget(widget)
        box.addWidget(self.middle, 1)
        self._right = QSplitter(Qt.Orientation.Horizontal, self)
        self._right.addWidget(centre)
        self._right.addWidget(self.editor)
        self._right.setStretchFactor(0, 1)
        self._right.setSizes([640, 340])
        self._right.setChildrenCollapsible(False)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self.sidebar)
        self._splitter.addWidget(self._right)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([190, 990])
        self._splitter.setCollapsible(1, False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        self._stacked_choice: bool | None = None

    def _connect_data(self) -> None:
        context = self._context
        self.search.found.connect(self._found)
        self.search.failed.connect(self._search_failed)
        self.search.changed.connect(lambda: self.sidebar.mark(self.search.query))
        self.table.rows_wanted.connect(self._fetch)
        self.table.sort_wanted.connect(lambda key, up: self.search.arrange(key, "asc" if up else "desc"))
        self.view.selected.connect(self._selected)
        self.view.typed.connect(self.box.begin)
        self.view.menu_wanted.connect(self._menu)
        self.view.doubleClicked.connect(lambda _index: self._edit())
        self.box.left.connect(self.view.setFocus)
        self.box.save_wanted.connect(self._keep_search)
        self.sidebar.chosen.connect(self._filter)
        self.sidebar.forget_wanted.connect(self._forget_search)
        self.editor.go_wanted.connect(self._show_one)
        # The event stream tells the same a little later; this also works while it is broken.
        self.operations.done.connect(self.search.refresh_soon)
        context.undo.undone.connect(self.search.refresh_soon)
        context.overview.changed.connect(self._overview_changed)
        context.watch.served.connect(self._refill)
        context.watch.changed.connect(self._server_changed)

    def _connect_commands(self) -> None:
        its, work = self.commands, self.operations
        its.on_table(its.trash, its.erase, its.copy, its.select_all)
        for action in (its.trash, its.erase, its.copy, its.select_all):
            self.view.addAction(action)
        self.addActions([action for actions in self.menus().values() for action in actions if action is not None])
        its.connect_all(
            {
                its.add: self.add_memory,
                its.edit: self._edit,
                its.confirm: lambda: work.confirm(self.chosen()),
                its.lock: lambda: work.lock(self.chosen(), True),
                its.unlock: lambda: work.lock(self.chosen(), False),
                its.add_tags: lambda: self._tags(adding=True),
                its.remove_tags: lambda: self._tags(adding=False),
                its.replace: self._replace,
                its.trash: lambda: work.trash(self.chosen()),
                its.restore: lambda: work.restore(self.chosen()),
                its.erase: self._erase,
                its.copy: self._copy,
                its.select_all: self.view.selectAll,
                its.invert: self.view.invert,
                its.search: self.box.begin,
                its.table: self.view.setFocus,
                its.sidebar: self.sidebar.setFocus,
                its.keep_search: self._keep_search,
                its.refresh: self._refill,
                its.show_editor: self._show_editor,
                its.stacked: lambda: self._stack(its.stacked.isChecked()),
            }
        )
        self._selected()

    def _load_choices(self) -> None:
        settings = self._context.settings
        header, splitter = settings.value("memories/header"), settings.value("memories/splitter")
        if isinstance(header, QByteArray):
            self.view.horizontalHeader().restoreState(header)
        if isinstance(splitter, QByteArray):
            self._splitter.restoreState(splitter)
        history = settings.value("memories/history")
        self.box.history = [history] if isinstance(history, str) else [str(query) for query in history] if isinstance(history, list) else []
        self.search.query = str(settings.value("memories/query", "") or "")
        self.search.changed.emit()
        shown = settings.value("memories/editor", "true") in ("true", True)
        self.commands.show_editor.setChecked(shown)
        stacked = settings.value("memories/stacked")
        self._stacked_choice = None if stacked in (None, "") else stacked in ("true", True)
        self._fit()

    # The data.

    def chosen(self) -> Chosen:
        """What is selected; all that the search means, where that is what is selected."""
        count = self.view.selected_count()
        if count == len(self.table.ids) and count > 1 and self.search.mode == "words":
            return Chosen(self.search.everything, count)
        return Chosen(Scope(ids=tuple(self.view.selected_ids())), count)

    def _refill(self) -> None:
        self._context.overview.refresh()
        self.search.refresh()

    def _fetch(self, ids: list[int]) -> None:
        bridge = self._context.bridge
        bridge.call(self, lambda client: client.rows(ids), self.table.put, lambda _error: self.table.give_up(ids))

    def _found(self, found: Found) -> None:
        self._asked = True
        self.banner.hide()
        self.table.show(found.ids)
        if found.ids:
            self.middle.setCurrentWidget(self.view)
            self._show_editor()
        else:
            explain_empty(self.placeholder, self._context, self.search, self.add_memory)
            self._explain()
        if self._go_to is not None:
            self.view.go_to(self._go_to)
            self._go_to = None
        if self.view.selected_count():
            self._selected()
        self._tell_counts()

    def _search_failed(self, error: ApiError) -> None:
        if self.table.ids:
            self.banner.say(str(error), (self.tr("Try again"), self._refill), warning=True)
        elif self._asked or self._context.watch.database_ready:
            explain_failure(self.placeholder, error, self._refill)
            self._explain()

    def _server_changed(self) -> None:
        if not self._asked and not self.table.ids:
            explain_start(self.placeholder, self._context)
            self._explain()

    def _explain(self) -> None:
        """The placeholder in place of the rows; without rows there is nothing to edit."""
        self.middle.setCurrentWidget(self.placeholder)
        self._show_editor()

    def _show_editor(self) -> None:
        self.editor.setVisible(self.commands.show_editor.isChecked() and self.middle.currentWidget() is self.view)

    def _overview_changed(self) -> None:
        overview = self._context.overview
        if overview.sidebar is not None:
            self.tree.show(overview.sidebar, overview.status.active if overview.status else None)
            self.sidebar.mark(self.search.query)
        self.box.suggest(overview.tags)
        self._tell_counts()

    def _selected(self) -> None:
        count, its = self.view.selected_count(), self.commands
        in_trash = "is:trash" in self.search.query
        for action in its.for_rows:
            action.setEnabled(count > 0 and not in_trash)
        its.restore.setEnabled(count > 0 and in_trash)
        its.erase.setEnabled(count > 0 and in_trash)
        its.copy.setEnabled(count > 0)
        its.edit.setEnabled(count == 1)
        ids = self.view.selected_ids()
        self.editor.show_ids(tuple(ids), self.chosen())
        self._tell_counts()

    def _tell_counts(self) -> None:
        locale, status = QLocale(), self._context.overview.status
        parts = []
        if count := self.view.selected_count():
            parts.append(self.tr("%1 chosen").replace("%1", locale.toString(count)))
        parts.append(self.tr("%1 found").replace("%1", locale.toString(len(self.table.ids))))
        if status is not None and status.active is not None:
            parts.append(self.tr("%1 in all").replace("%1", locale.toString(status.active)))
        self.status.emit(" · ".join(parts))

    # Commands.

    def _filter(self, leaf: Leaf, how: Join) -> None:
        self.search.ask(joined(self.search.query, leaf.query, how))

    def _edit(self) -> None:
        self.commands.show_editor.setChecked(True)
        self._show_editor()
        self.editor.one.text.setFocus()

    def _tags(self, *, adding: bool) -> None:
        chosen = self.chosen()
        dialog = TagsDialog(self._context, chosen.count, self, adding=adding)
        if dialog.exec() == QDialog.DialogCode.Accepted and dialog.tags.tags:
            tags = tuple(dialog.tags.tags)
            self.operations.change(chosen, Changes(add_tags=tags) if adding else Changes(remove_tags=tags))
        dialog.deleteLater()

    def _replace(self) -> None:
        selected = self.chosen() if self.view.selected_count() else None
        everything = Chosen(self.search.everything, len(self.table.ids))
        ReplaceDialog(self._context, self.operations, selected, everything, self).open()

    def _erase(self) -> None:
        # By their ids: what came into the trash after the person looked at it is not meant.
        ids = self.view.selected_ids()
        dialog = EraseDialog(len(ids), self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.operations.erase(Chosen(Scope(ids=tuple(ids)), len(ids)))
        dialog.deleteLater()

    def _copy(self) -> None:
        ids = self.view.selected_ids()[:MOST_COPIED]

        def put(rows: list[MemoryRow]) -> None:
            QGuiApplication.clipboard().setText("\n\n".join(row.text for row in rows))
            self._context.notify(self.tr("%Ln texts copied.", "", len(rows)))

        self._context.bridge.call(self, lambda client: client.many_rows(ids), put, slot="copy")

    def _keep_search(self) -> None:
        dialog = SaveSearchDialog(self.search.query, self)
        if self.search.query.strip() and dialog.exec() == QDialog.DialogCode.Accepted:
            name, query, bridge = dialog.name.text().strip(), self.search.query, self._context.bridge
            bridge.call(self, lambda client: client.save_search(name, query), lambda _none: self._context.overview.refresh())
        dialog.deleteLater()

    def _forget_search(self, leaf: Leaf) -> None:
        saved, bridge = leaf.saved, self._context.bridge
        if saved is not None:
            bridge.call(self, lambda client: client.forget_search(saved), lambda _none: self._context.overview.refresh())

    def _show_one(self, memory_id: int) -> None:
        if self.table.place(memory_id) is not None:
            self.view.go_to(memory_id)
            return
        self._go_to = memory_id
        self.search.ask(f"id:{memory_id}", "words")

    def _added(self, done: Done) -> None:
        self._go_to = done.ids[0] if done.ids else None
        self.search.refresh()

    def _menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in (*self.menus()[PAGE], None, self.commands.copy):
            if action is None:
                menu.addSeparator()
            elif action.isEnabled():
                menu.addAction(action)
        menu.popup(point)

    # The layout.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrow windows show the editor below the table."""
        super().resizeEvent(event)
        self._fit()

    def _stack(self, stacked: bool) -> None:
        self._stacked_choice = stacked
        self._fit()

    def _fit(self) -> None:
        stacked = self.width() < NARROW if self._stacked_choice is None else self._stacked_choice
        self._right.setOrientation(Qt.Orientation.Vertical if stacked else Qt.Orientation.Horizontal)
        self.commands.stacked.setChecked(stacked)
