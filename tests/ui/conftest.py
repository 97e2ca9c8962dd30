"""One real server for all tests of the app, an app for each test that wants one, and guards against leaks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.client import Client, Home
from app.main import Application
from tests.ui.support import Shown, dispose, dress, empty, real_server

PATIENCE_MS = 30_000
LAST_WORDS = 10.0  # seconds that a thread may take to end after a test


@pytest.fixture(scope="session")
def server_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """The home of the one server of these tests."""
    with real_server(Home.at(tmp_path_factory.mktemp("server"))) as home:
        yield home


@pytest.fixture
def client(server_home: Home) -> Iterator[Client]:
    """A client of a server without memories."""
    client = Client(server_home)
    empty(client)
    yield client
    client.close()


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> None:
    """The same font and language on every machine."""
    if qapp.property("dressed") is None:
        qapp.setProperty("dressed", True)
        dress(qapp)


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """After a test there are no threads and no windows that were not there before."""
    threads = set(threading.enumerate())
    windows = {id(widget) for widget in QApplication.topLevelWidgets()}
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    new = [thread for thread in threading.enumerate() if thread not in threads]
    for thread in new:
        thread.join(LAST_WORDS)
    assert [thread.name for thread in new if thread.is_alive()] == []
    left = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in windows]
    assert [repr(widget) for widget in left] == []


@pytest.fixture
def show(qapp: QApplication, qtbot: QtBot, client: Client, server_home: Home) -> Iterator[Callable[[], Shown]]:
    """Start an app on the shared server and wait until its table has been filled."""
    running: list[Application] = []

    def start() -> Shown:
        (server_home.config / "window.ini").unlink(missing_ok=True)
        application = Application(qapp, server_home)
        running.append(application)
        application.start(hidden=False)
        shown = Shown(application, client)
        qtbot.waitUntil(lambda: shown.page.search.last.problem is None and shown.page._asked, timeout=PATIENCE_MS)
        return shown

    yield start
    for application in running:
        application.end()
        dispose(application.window, application)
