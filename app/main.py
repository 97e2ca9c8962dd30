"""The app from its start to its end: one per home, a tray icon and a window, a server that it watches over.

Started by `ownsona` without a command, in a process of its own.
"""

from __future__ import annotations

import argparse
import logging
import logging.handlers
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QSettings, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QMessageBox

from app.bridge import Bridge
from app.client import Client, Home, resource
from app.context import Context
from app.models.overview import Overview
from app.models.undo import UndoHistory
from app.single_instance import SingleInstance
from app.theme import Look, Theme
from app.tray import Tray
from app.watch import ServerWatch
from app.windows.main_window import MainWindow
from app.windows.memories.page import MemoriesPage

log = logging.getLogger(__name__)
SIGNALS_MS = 200  # Python sees signals only when it runs; so often it does


class Application(QObject):
    """The parts of one running app and how they hang together."""

    def __init__(self, app: QApplication, home: Home, command: list[str] | None = None) -> None:
        super().__init__(app)
        self._app = app
        settings = QSettings(str(home.config / "window.ini"), QSettings.Format.IniFormat, self)
        bridge = Bridge(Client(home), self)
        self.context = Context(
            home,
            bridge,
            ServerWatch(home, command, self),
            Theme(app, Look(str(settings.value("look", Look.SYSTEM.value))), self),
            UndoHistory(bridge, self),
            Overview(bridge, self),
            settings,
        )
        self.window = MainWindow(self.context)
        self.tray = Tray(self.context, self)
        self._ended = False
        self.context.watch.served.connect(self._served)
        self.tray.open_wanted.connect(self.open)
        self.tray.toggle_wanted.connect(self.toggle)
        self.tray.quit_wanted.connect(self.quit)
        self.tray.appeared.connect(lambda: app.setQuitOnLastWindowClosed(False))
        self.window.quit_wanted.connect(self.quit)
        self.window.hidden.connect(self._hidden)
        app.aboutToQuit.connect(self.end)

    def start(self, *, hidden: bool) -> None:
        """Begin. Without a tray the window is the only way to the app, so it opens then."""
        self.context.watch.start()
        self.context.bridge.start()
        there = self.tray.start()
        self._app.setQuitOnLastWindowClosed(not there)
        if not hidden or not there:
            self.window.bring_up()

    def open(self, key: str) -> None:
        """Bring the window up with a page, or with a command of the memories page."""
        command = key in ("search", "add")
        page = self.window.open_page("memories" if command else key)
        self.window.bring_up()
        if command and isinstance(page, MemoriesPage):
            page.begin_search() if key == "search" else page.add_memory()

    def toggle(self) -> None:
        """Show the window, or hide it where it is in front."""
        if self.window.isVisible() and self.window.isActiveWindow():
            self.window.close()
        else:
            self.window.bring_up()

    def wish(self, text: str) -> None:
        """What a second start asked for."""
        self.open(text.removeprefix("page:")) if text.startswith("page:") else self.window.bring_up()

    def quit(self) -> None:
        """End the app; asks only while something is being written."""
        if self.context.bridge.writing:
            text = self.tr("OwnSona is still working on your last change. Quit all the same?")
            answer = QMessageBox.question(self.window, self.tr("Quit OwnSona"), text)
            if answer is not QMessageBox.StandardButton.Yes:
                return
        self._app.quit()

    def end(self) -> None:
        """Save, give the server back, end the threads. Safe to call twice."""
        if self._ended:
            return
        self._ended = True
        self.window.leave()
        self.tray.stop()
        self.context.bridge.close()
        self.context.watch.stop()

    def _served(self) -> None:
        label = self.tr("Earlier change")
        undo = self.context.undo
        self.context.overview.refresh()
        self.context.bridge.call(self, lambda client: client.journal(), lambda entries: undo.seed(entries, label), lambda _error: None)

    def _hidden(self) -> None:
        settings = self.context.settings
        if self.tray.icon.isVisible() and not self._ended and settings.value("told/stays") is None:
            settings.setValue("told/stays", "yes")
            self.tray.icon.showMessage("OwnSona", self.tr("OwnSona stays here and keeps serving your assistants. Quit it from this menu."))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app; the exit code."""
    parser = argparse.ArgumentParser("ownsona", description="OwnSona Desktop.")
    parser.add_argument("--home", metavar="DIR")
    parser.add_argument("--show", action="store_true", help="bring the window up, also of an app that runs already")
    parser.add_argument("--hidden", action="store_true", help="start in the tray alone, as at login")
    options = parser.parse_args(arguments)
    home = Home.at(Path(options.home)) if options.home else Home.find()
    home.create()
    app = make_application(sys.argv[:1])
    single = SingleInstance(home.state, sys.platform, app)
    if not single.become_first():
        if single.pass_on("show"):
            return 0
        sys.stderr.write(f"OwnSona already runs for {home.state} and does not answer. End it, then try again.\n")
        return 2
    _set_up_logs(home)
    running = Application(app, home)
    single.wished.connect(running.wish)
    _watch_signals(app)
    running.start(hidden=options.hidden and not options.show)
    code = app.exec()
    running.end()
    single.release()
    return code


def make_application(arguments: list[str], language: QLocale | None = None) -> QApplication:
    """The Qt application with its name and language."""
    app = QApplication(arguments)
    app.setApplicationName("ownsona")
    app.setApplicationDisplayName("OwnSona Desktop")
    app.setDesktopFileName("ownsona")
    app.setAttribute(Qt.ApplicationAttribute.AA_DontShowIconsInMenus, False)
    speak(app, language or QLocale.system())
    return app


def speak(app: QApplication, locale: QLocale) -> None:
    """Load our texts and Qt's own in a language; English is there for its plurals."""
    QLocale.setDefault(locale)
    app.setLayoutDirection(locale.textDirection())
    for earlier in app.findChildren(QTranslator):
        app.removeTranslator(earlier)
        earlier.deleteLater()
    ours, qts = QTranslator(app), QTranslator(app)
    folder = str(resource("translations"))
    if ours.load(locale, "ownsona", "_", folder) or ours.load("ownsona_en", folder):
        app.installTranslator(ours)
    if qts.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(qts)


def _set_up_logs(home: Home) -> None:
    handler = logging.handlers.RotatingFileHandler(home.logs / "app.log", maxBytes=1 << 20, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    (home.logs / "app.log").chmod(0o600)

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("An error that nothing caught.", exc_info=(kind, error, trace))

    # Qt's slots and Python's threads have hooks of their own.
    sys.excepthook = uncaught
    threading.excepthook = lambda found: uncaught(found.exc_type, found.exc_value or found.exc_type(), found.exc_traceback)


def _watch_signals(app: QApplication) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: app.quit())
    timer = QTimer(app, interval=SIGNALS_MS)
    timer.timeout.connect(lambda: None)
    timer.start()


if __name__ == "__main__":
    sys.exit(main())
