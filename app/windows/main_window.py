"""The main window: pages at the left, the page beside them, menus, banner, notices, status bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDesktopServices, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.client import ApiError
from app.context import Context
from app.dialogs.shortcuts import ShortcutsDialog, fixed_sections, section_of
from app.supervisor import Phase
from app.watch import phase_text, trouble_text
from app.widgets.banner import Banner
from app.widgets.naming import named
from app.windows.pages import EDIT, FILE, PAGE, PAGES, VIEW, Page, PageSpec

NOTICE_SECONDS = 8.0


class MainWindow(QMainWindow):
    """One per application. Closing hides it where a tray keeps the app at hand."""

    hidden = Signal()
    quit_wanted = Signal()

    def __init__(self, context: Context, specs: Sequence[PageSpec] = PAGES) -> None:
        super().__init__()
        self._context = context
        self._specs = {spec.key: spec for spec in specs}
        self._pages: dict[str, Page] = {}
        self._key = ""
        self.setWindowTitle(self.tr("OwnSona Desktop"))
        self.list = named(QListWidget(self), self.tr("Pages"))
        self.stack = QStackedWidget(self)
        self.banner = Banner(context.theme, self, closable=False)
        self.notice = Banner(context.theme, self)
        self._counts, self._server = QLabel(self), QLabel(self)
        self._menus: dict[str, QMenu] = {}
        self._build()
        self._build_menus()
        context.notify = self.notify
        context.open_page = self.open_page
        context.pages = frozenset(self._specs)
        context.theme.changed.connect(self._draw_list)
        context.watch.changed.connect(self._server_changed)
        context.bridge.failure.connect(self._failed)
        context.undo.failed.connect(self._failed)
        context.undo.changed.connect(self._undo_changed)
        context.undo.undone.connect(self._undone)
        self._draw_list()
        self._server_changed()
        self._undo_changed()
        self._restore_place()

    @property
    def page(self) -> Page | None:
        """The page that is shown."""
        return self._pages.get(self._key)

    def open_page(self, key: str) -> Page | None:
        """Show a page and make it on its first time; unknown keys do nothing."""
        spec = self._specs.get(key)
        if spec is None:
            return None
        if key not in self._pages:
            page = self._pages[key] = spec.make(self._context)
            page.status.connect(self._counts.setText)
            self.stack.addWidget(page)
        self._key = key
        page = self._pages[key]
        self.stack.setCurrentWidget(page)
        self.list.setCurrentRow(list(self._specs).index(key))
        self._fill_menus(page)
        page.entered()
        return page

    def bring_up(self) -> None:
        """Show the window above the others."""
        if not self._key:
            self.open_page(next(iter(self._specs)))
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def notify(self, text: str, *actions: tuple[str, Callable[[], object]], warning: bool = False) -> None:
        """A short notice; a button takes it away."""

        def hiding(act: Callable[[], object]) -> Callable[[], None]:
            def run() -> None:
                self.notice.hide()
                act()

            return run

        self.notice.say(text, *((words, hiding(act)) for words, act in actions), warning=warning, seconds=NOTICE_SECONDS)

    def leave(self) -> None:
        """Save everything that is open."""
        for page in self._pages.values():
            page.leave()
        self._context.settings.setValue("window/geometry", self.saveGeometry())
        self._context.settings.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save; whether the app ends is not the window's to say."""
        self.leave()
        event.accept()
        self.hidden.emit()

    def _build(self) -> None:
        self.list.setIconSize(QSize(20, 20))
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setFixedWidth(148)
        self.list.setSpacing(2)
        for spec in self._specs.values():
            self.list.addItem(QListWidgetItem(spec.title()))
        self.list.itemClicked.connect(lambda _item: self._list_chosen())
        self.list.itemActivated.connect(lambda _item: self._list_chosen())
        self.list.setVisible(len(self._specs) > 1)
        right = QVBoxLayout()
        right.setSpacing(0)
        for widget in (self.banner, self.stack, self.notice):
            right.addWidget(widget)
        right.setStretchFactor(self.stack, 1)
        centre = QWidget(self)
        layout = QHBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.list)
        layout.addLayout(right, 1)
        self.setCentralWidget(centre)
        self.statusBar().addWidget(self._counts)
        self.statusBar().addPermanentWidget(self._server)
        self.statusBar().setSizeGripEnabled(False)
        for label in (self._counts, self._server):
            label.setContentsMargins(8, 2, 8, 2)

    def _build_menus(self) -> None:
        bar = self.menuBar()
        for key, words in (
            (FILE, self.tr("&File")),
            (EDIT, self.tr("&Edit")),
            (PAGE, self.tr("&Memory")),
            (VIEW, self.tr("&View")),
            ("help", self.tr("&Help")),
        ):
            self._menus[key] = bar.addMenu(words)
        theme = self._context.theme
        self.undo = self._action(self.tr("Undo"), "undo-2", QKeySequence("Ctrl+Z"), self._context.undo.undo)
        self.redo = self._action(self.tr("Redo"), "redo-2", QKeySequence("Ctrl+Shift+Z"), self._context.undo.redo)
        self.close_action = self._action(self.tr("Close the window"), "", QKeySequence("Ctrl+W"), self.close)
        self.quit = self._action(self.tr("Quit OwnSona"), "log-out", QKeySequence("Ctrl+Q"), self.quit_wanted.emit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.logs = self._action(self.tr("Show the log files"), "folder-open", QKeySequence(), self._show_logs)
        self.keys = self._action(self.tr("Keyboard and search"), "keyboard", QKeySequence("F1"), self.show_shortcuts)
        theme.bind(self.keys, "keyboard")
        self._menus["help"].addActions([self.keys, self.logs])

    def _action(self, words: str, icon: str, keys: QKeySequence, work: Callable[[], object]) -> QAction:
        action = QAction(words, self)
        action.setShortcut(keys)
        action.triggered.connect(lambda _checked=False: work())
        if icon:
            self._context.theme.bind(action, icon)
        self.addAction(action)
        return action

    def _fill_menus(self, page: Page) -> None:
        fixed: dict[str, tuple[list[QAction | None], list[QAction | None]]] = {
            FILE: ([], [None, self.close_action, self.quit]),
            EDIT: ([self.undo, self.redo, None], []),
            PAGE: ([], []),
            VIEW: ([], []),
        }
        its = page.menus()
        for key, (before, after) in fixed.items():
            menu = self._menus[key]
            menu.clear()
            for action in (*before, *its.get(key, ()), *after):
                menu.addSeparator() if action is None else menu.addAction(action)
            menu.menuAction().setVisible(not menu.isEmpty())
        self._menus[PAGE].setTitle(self.tr("&Memory") if self._key == "memories" else self._specs[self._key].title())

    def show_shortcuts(self) -> None:
        """Open the cheat sheet."""
        sections = [section_of(menu.title(), menu.actions()) for menu in self._menus.values()]
        ShortcutsDialog([*(section for section in sections if section[1]), *fixed_sections()], self).open()

    def _show_logs(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.home.logs)))

    def _list_chosen(self) -> None:
        self.open_page(list(self._specs)[self.list.currentRow()])

    def _draw_list(self) -> None:
        for number, spec in enumerate(self._specs.values()):
            self.list.item(number).setIcon(self._context.theme.icon(spec.icon))

    def _server_changed(self) -> None:
        watch = self._context.watch
        state, text = watch.state, trouble_text(watch.state)
        self._server.setText(phase_text(state.phase))
        if state.phase is Phase.FAILED:
            self.banner.say(text, (self.tr("Start again"), watch.retry), (self.tr("Show the log files"), self._show_logs), warning=True)
        elif state.phase is Phase.DEGRADED:
            self.banner.say(text, (self.tr("Show the log files"), self._show_logs), warning=True)
        elif state.phase is Phase.STARTING and state.restarts:
            self.banner.say(self.tr("OwnSona’s server has stopped and is being started again. What you see may be older."), warning=True)
        else:
            self.banner.hide()

    def _failed(self, error: ApiError) -> None:
        self.notify(str(error), warning=True)

    def _undo_changed(self) -> None:
        for action, words, label in (
            (self.undo, self.tr("Undo"), self._context.undo.next_undo),
            (self.redo, self.tr("Redo"), self._context.undo.next_redo),
        ):
            action.setEnabled(bool(label))
            action.setIconText(words)
            action.setText(self.tr("%1: %2").replace("%1", words).replace("%2", label) if label else words)

    def _undone(self, label: str, undoing: bool) -> None:
        words = self.tr("Undone: %1") if undoing else self.tr("Done again: %1")
        again = (self.tr("Redo"), self._context.undo.redo) if undoing else (self.tr("Undo"), self._context.undo.undo)
        self.notify(words.replace("%1", label), again)

    def _restore_place(self) -> None:
        self.resize(1180, 720)
        geometry = self._context.settings.value("window/geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
