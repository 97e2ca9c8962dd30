"""Pictures of every window, light and dark, in English, German and right-to-left, to be looked at: `make screenshots`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QLocale
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.client import Client, Home, NewMemory, Scope
from app.main import Application
from app.supervisor import Phase
from app.theme import Look
from app.windows.memories.dialogs import AddDialog, EraseDialog, SaveSearchDialog, TagsDialog
from app.windows.memories.operations import Chosen
from app.windows.memories.page import MemoriesPage
from app.windows.memories.replace import ReplaceDialog
from tests.ui.support import dispose, dress, empty, real_server

FOLDER = Path("build") / "screenshots"
PATIENCE = 60.0
SIZE = (1180, 720)
LANGUAGES = {"en": QLocale.Language.English, "de": QLocale.Language.German, "ar": QLocale.Language.Arabic}
TEXTS = [
    ("Ada drinks her coffee black, two cups before nine and none after noon.", ["coffee", "habits"]),
    ("The flat in Lisbon is on the fourth floor; the lift has been out of order since March.", ["home", "lisbon"]),
    ("Prefers answers in plain English, with the result first and the reasons after it.", ["style"]),
    ("Für Rechnungen gilt: vor der Überweisung immer die Umsatzsteuer-Identifikationsnummer prüfen.", ["arbeit", "rechnungen"]),
    ("تفضّل آدا القهوة السوداء في الصباح ولا تشرب الشاي.", ["قهوة", "عادات"]),
    ("她喜欢在早上喝黑咖啡，下午不喝。", ["咖啡"]),
    (
        "Birthday of Grandmother: 12 May 🎂, likes tulips 🌷 and crosswords.",
        ["family", "dates", "birthdays", "a rather long tag that does not fit"],
    ),
    ("Long note. " + "The workshop in Porto was about ceramics and lasted three days. " * 80, ["notes"]),
]


class Camera:
    """Takes pictures of one look and language."""

    def __init__(self, app: QApplication, name: str) -> None:
        self._app = app
        self._name = name

    def wait(self, condition: Callable[[], object]) -> None:
        """Let the app work until something is so."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain for a picture of {self._name}"
            self._app.processEvents()
            time.sleep(0.01)

    def rest(self, seconds: float = 0.4) -> None:
        """Let pictures and rows arrive."""
        deadline = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > deadline)

    def take(self, widget: QWidget, what: str) -> None:
        """Save a picture of a widget."""
        self.rest()
        FOLDER.mkdir(parents=True, exist_ok=True)
        widget.grab().save(str(FOLDER / f"{what}-{self._name}.png"))


def page_of(application: Application) -> MemoriesPage:
    """The page of memories."""
    page = application.window.open_page("memories")
    assert isinstance(page, MemoriesPage)
    return page


def memories(camera: Camera, application: Application, client: Client) -> None:
    """The page with nothing, with rows, with one and with several chosen."""
    application.start(hidden=False)
    page, window = page_of(application), application.window
    window.resize(*SIZE)
    empty(client)
    camera.wait(lambda: application.context.watch.state.phase is Phase.READY and page._asked and not page.table.ids)
    application.context.overview.refresh()
    camera.take(window, "empty")
    for round_ in range(6):
        for text, tags in TEXTS:
            client.add(NewMemory(text=f"{text} ({round_ + 1})", tags=tuple(tags), importance=0.1 * (round_ + 4)))
    page.search.refresh()
    camera.wait(lambda: len(page.table.ids) == 6 * len(TEXTS))
    application.context.overview.refresh()
    client.act("trash", Scope(ids=tuple(page.table.ids[-3:])))
    camera.rest(1.5)
    page.view.go_to(page.table.ids[3])
    page.operations.lock(Chosen(Scope(ids=tuple(page.table.ids[:2])), 2), True)
    camera.rest(1.5)
    camera.take(window, "one")
    page.editor.one.details.setCurrentIndex(1)
    camera.take(window, "history")
    page.editor.one.details.setCurrentIndex(2)
    camera.rest(1.0)
    camera.take(window, "similar")
    page.view.select_ids(page.table.ids[:5])
    camera.take(window, "several")
    page.search.ask("is:trash")
    camera.rest(1.0)
    page.view.selectAll()
    camera.take(window, "trash")
    page.search.ask("nothing-like-this")
    camera.rest(1.0)
    camera.take(window, "no-match")
    page.search.ask("")
    camera.rest(1.0)
    window.resize(760, 900)
    camera.take(window, "narrow")
    window.resize(*SIZE)
    application.tray.menu.resize(application.tray.menu.sizeHint())
    camera.take(application.tray.menu, "tray-menu")


def dialogs(camera: Camera, application: Application) -> None:
    """Each dialog of the page."""
    page, context = page_of(application), application.context
    everything = Chosen(page.search.everything, len(page.table.ids))
    replace = ReplaceDialog(context, page.operations, None, everything, page)
    replace.sought.setText("coffee")
    replace.replacement.setText("tea")
    shown: Sequence[tuple[str, QDialog]] = (
        ("add", AddDialog(context, page.operations, lambda _done: None, page)),
        ("tags", TagsDialog(context, 5, page, adding=True)),
        ("erase-few", EraseDialog(3, page)),
        ("erase-many", EraseDialog(1204, page)),
        ("keep-search", SaveSearchDialog("tag:work -is:locked before:2026-10", page)),
        ("replace", replace),
    )
    for name, dialog in shown:
        dialog.show()
        camera.rest(0.6)
        camera.take(dialog, name)
        dialog.close()
        dialog.deleteLater()
    application.window.show_shortcuts()
    sheet = next(widget for widget in QApplication.topLevelWidgets() if type(widget).__name__ == "ShortcutsDialog")
    camera.take(sheet, "shortcuts")
    sheet.close()


def without_server(camera: Camera, app: QApplication, look: Look) -> None:
    """The window while the server starts, and when it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home.at(Path(folder))
        home.create()
        complaint = "Port 7662 is taken by another program. End it, or set OWNSONA_PORT to a free port."
        for what, code, wanted in (
            ("starting", "import time; time.sleep(3)", Phase.STARTING),
            ("failed", f"import sys; sys.stderr.write('{complaint}'); sys.exit(2)", Phase.FAILED),
        ):
            application = Application(app, home, [sys.executable, "-c", code])
            application.context.theme.choose(look)
            application.start(hidden=False)
            application.window.resize(*SIZE)
            watch = application.context.watch
            while watch.state.phase is not wanted:
                camera.rest(0.05)
            camera.take(application.window, what)
            application.end()
            dispose(application.window, application)


def main() -> None:
    """All of them."""
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder, real_server(Home.at(Path(folder))) as home:
        client = Client(home)
        for code, language in LANGUAGES.items():
            for look in (Look.LIGHT, Look.DARK):
                dress(app, QLocale(language))
                app.setFont(QFont("Inter", 10))
                camera = Camera(app, f"{code}-{look}")
                application = Application(app, home)
                application.context.theme.choose(look)
                memories(camera, application, client)
                dialogs(camera, application)
                application.end()
                dispose(application.window, application)
                without_server(camera, app, look)
        client.close()


if __name__ == "__main__":
    main()
