"""A real server for the app's tests, and what they do with windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QObject
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget

from app.client import Changes, Client, Home, NewMemory, Scope, resource
from app.main import Application, speak
from app.windows.memories.page import MemoriesPage
from tests.programs import program

START = 90.0  # seconds; the machine may be busy, and the model is read from the disk


@contextmanager
def real_server(home: Home) -> Iterator[Home]:
    """A server of the program as it is, with its database and its model."""
    home.create()
    with program("-P", "-m", "server.cli", "serve", "--port", "0", "--home", str(home.state.parent)) as server:
        assert b"ready" in server.lines.get(timeout=START), server.complaint
        yield home
        server.process.terminate()
        server.end()


def empty(client: Client) -> None:
    """Delete every memory for good, and every kept search."""
    unlock(client)
    for query in ("", "is:trash", "is:expired", "is:archived"):
        if ids := client.search(query, "words", "created", "desc").ids:
            client.act("trash", Scope(ids=ids))
            client.act("erase", Scope(ids=ids))
    for search in client.sidebar().saved:
        client.forget_search(search.id)


def unlock(client: Client) -> None:
    """Nothing stays locked."""
    locked = client.search("is:locked", "words", "created", "desc").ids
    if locked:
        client.edit(Scope(ids=locked), Changes(keep="U"))


def fill(client: Client, *texts: str, tags: Sequence[str] = ()) -> list[int]:
    """Memories with these texts, oldest first; their ids."""
    return [client.add(NewMemory(text=text, tags=tuple(tags))).ids[0] for text in texts]


def dress(app: QApplication, locale: QLocale | None = None) -> None:
    """The font of the tests and a language, whatever the machine has."""
    for file in sorted(resource("fonts").glob("*.woff2")):
        QFontDatabase.addApplicationFont(str(file))
    app.setFont(QFont("Inter", 10))
    speak(app, locale or QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))


def dispose(*objects: QApplication | Application | QWidget) -> None:
    """Delete objects now, with all that waits to be deleted."""
    for one in objects:
        if shiboken6.isValid(one):
            shiboken6.delete(one)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def dispose_object(one: QObject) -> None:
    """Delete an object now."""
    shiboken6.delete(one)


@dataclass(slots=True)
class Shown:
    """An app that runs in this process."""

    application: Application
    client: Client  # another way to the same server

    @property
    def page(self) -> MemoriesPage:
        """The page of memories, made if need be."""
        page = self.application.window.open_page("memories")
        assert isinstance(page, MemoriesPage)
        return page

    def texts(self) -> list[str]:
        """What the table shows."""
        table = self.page.table
        return [str(table.data(table.index(row, 0))) for row in range(table.rowCount())]
