"""The local API as typed, blocking calls, for the bridge's threads. The other modules take the API's types from here."""

from __future__ import annotations

import contextlib
import http.client
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from pydantic import ValidationError
from PySide6.QtCore import QCoreApplication

from app.connection import Connection, Stream
from server.api import (
    DONE_IDS,
    MAX_ROWS,
    Answer,
    Change,
    Changes,
    Chosen,
    Conflicting,
    Count,
    Done,
    Edit,
    Entries,
    Entry,
    Event,
    Found,
    Keep,
    MemoryRow,
    Mode,
    NewMemory,
    NewSearch,
    Order,
    Replacement,
    Request,
    Rows,
    RowsWanted,
    SavedSearch,
    Scope,
    Sidebar,
    SimilarRow,
    Similars,
    Sort,
    Status,
)
from server.api import (
    Replace as ReplaceWanted,
)
from server.joining import API, Running, find
from server.paths import Home, resource
from server.secrets_store import owner_token

__all__ = [
    "DONE_IDS",
    "ApiError",
    "Change",
    "Changes",
    "Client",
    "ConflictError",
    "Conflicting",
    "Count",
    "Done",
    "Entry",
    "Event",
    "EventReader",
    "Found",
    "Home",
    "Keep",
    "MemoryRow",
    "Mode",
    "NewMemory",
    "NoServerError",
    "Order",
    "ReplaceWanted",
    "Replacement",
    "SavedSearch",
    "Scope",
    "Sidebar",
    "SimilarRow",
    "Sort",
    "Status",
    "resource",
]

log = logging.getLogger(__name__)
AnswerT = TypeVar("AnswerT", bound=Answer)
SILENCE = 60.0  # seconds without a line of the event stream, after which it counts as broken; the server sends one every 15
PAUSES = (0.2, 0.5, 1.0, 2.0)  # seconds between tries to open the event stream


class ApiError(Exception):
    """The server refused, or could not; `str()` is a sentence for the person."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NoServerError(ApiError):
    """There is no server to ask. What was asked for may be asked again when there is one."""

    def __init__(self) -> None:
        text = QCoreApplication.translate(
            "Client", "OwnSona’s server does not answer. It is started again by itself; try again in a moment."
        )
        super().__init__("NO_SERVER", text)


class ConflictError(ApiError):
    """The memory has been changed meanwhile."""

    def __init__(self, message: str, found: Conflicting) -> None:
        super().__init__("CONFLICT", message)
        self.found = found


class Client:
    """Calls to the server of one home, from any thread: each thread has a connection of its own. Every method may raise ApiError."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._own = threading.local()
        self._connections: list[Connection] = []

    def close(self) -> None:
        """Close every connection; a later call opens its own again."""
        with self._lock:
            for connection in self._connections:
                connection.close()

    def get(self, kind: type[AnswerT], path: str, **query: str | int | float | None) -> AnswerT:
        """Read something; parameters that are None are left out."""
        given = {name: value for name, value in query.items() if value is not None}
        return _parsed(kind, self._call("GET", f"{path}?{urlencode(given)}" if given else path, None))

    def send(self, kind: type[AnswerT], method: str, path: str, body: Request | None = None) -> AnswerT:
        """Change something."""
        content = body.model_dump(mode="json", exclude_unset=True) if body else {}
        return _parsed(kind, self._call(method, path, content))

    def stream(self, path: str, headers: Mapping[str, str], timeout: float) -> Stream:
        """Open an answer that stays open. Raises OSError too."""
        return Stream(self._server().port, owner_token(self._home), f"{API}{path}", headers, timeout)

    # What the windows ask for.

    def status(self) -> Status:
        """The server at a glance."""
        return self.get(Status, "/status")

    def pause(self, paused: bool) -> None:
        """Let assistants in, or keep them out."""
        self.send(Answer, "POST", "/pause" if paused else "/resume")

    def search(self, query: str, mode: Mode, sort: Sort, order: Order) -> Found:
        """All ids that a query means."""
        return self.get(Found, "/memories", q=query, mode=mode, sort=sort, order=order)

    def rows(self, ids: Sequence[int]) -> tuple[MemoryRow, ...]:
        """Memories by id; unknown ones are left out."""
        return self.send(Rows, "POST", "/memories/rows", RowsWanted(ids=tuple(ids))).rows

    def many_rows(self, ids: Sequence[int]) -> list[MemoryRow]:
        """As `rows`, for more ids than one question may hold."""
        return [row for start in range(0, len(ids), MAX_ROWS) for row in self.rows(ids[start : start + MAX_ROWS])]

    def add(self, memory: NewMemory) -> Done:
        """Remember something."""
        return self.send(Done, "POST", "/memories", memory)

    def edit(self, scope: Scope, changes: Changes, version: int | None = None) -> Done:
        """Change memories. Raises ConflictError where the text or row changed meanwhile."""
        body = Edit(scope=scope, changes=changes) if version is None else Edit(scope=scope, changes=changes, version=version)
        return self.send(Done, "PATCH", "/memories", body)

    def act(self, action: str, scope: Scope) -> Done:
        """`action` is confirm, trash, restore or erase."""
        return self.send(Done, "POST", f"/memories/{action}", Chosen(scope=scope))

    def replace(self, wanted: ReplaceWanted) -> Replacement:
        """Find and replace."""
        return self.send(Replacement, "POST", "/memories/replace", wanted)

    def history(self, memory_id: int) -> tuple[Entry, ...]:
        """What has happened to a memory, newest first."""
        return self.get(Entries, f"/memories/{memory_id}/history").entries

    def similar(self, memory_id: int) -> tuple[SimilarRow, ...]:
        """Memories like one, best first."""
        return self.get(Similars, f"/memories/{memory_id}/similar").similar

    def sidebar(self) -> Sidebar:
        """Tags, sources and the rest."""
        return self.get(Sidebar, "/sidebar")

    def save_search(self, name: str, query: str) -> None:
        """Keep a query under a name."""
        self.send(Answer, "POST", "/searches", NewSearch(name=name, query=query))

    def forget_search(self, search_id: int) -> None:
        """Forget a kept query."""
        self.send(Answer, "DELETE", f"/searches/{search_id}")

    def journal(self, actor: str | None = None, limit: int = 50) -> tuple[Entry, ...]:
        """What was done, newest first."""
        return self.get(Entries, "/journal", actor=actor, limit=limit).entries

    def undo(self, journal_id: int) -> Done:
        """Take an entry of the journal back."""
        return self.send(Done, "POST", f"/journal/{journal_id}/undo")

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        try:
            reply = self._connection().call(method, f"{API}{path}", body)
        except (OSError, http.client.HTTPException, ValueError):
            self.forget_server()
            if method != "GET":
                raise NoServerError from None
            try:
                # Reading twice does no harm, and a server that was just started again deserves a second question.
                reply = self._connection().call(method, f"{API}{path}", body)
            except (OSError, http.client.HTTPException, ValueError):
                self.forget_server()
                raise NoServerError from None
        if reply.status < 400:
            return reply.body
        raise _refusal(reply.status, reply.body)

    def _connection(self) -> Connection:
        running = self._server()
        connection: Connection | None = getattr(self._own, "connection", None)
        if connection is None or connection.port != running.port:
            if connection:
                connection.close()
            connection = self._own.connection = Connection(running.port, owner_token(self._home))
            with self._lock:
                self._connections.append(connection)
        return connection

    def _server(self) -> Running:
        with self._lock:
            if self._running is None:
                self._running = find(self._home)
            if self._running is None:
                raise NoServerError
            return self._running

    def forget_server(self) -> None:
        """Look for the server anew at the next call."""
        with self._lock:
            self._running = None


class EventReader:
    """Reads the server's events in a thread of its own, and goes on where it was after every break."""

    def __init__(self, client: Client, took: Callable[[Event], object], broke: Callable[[], object] = lambda: None) -> None:
        """`took` and `broke` (the stream ended, so something may be missed) are called in the thread."""
        self._client = client
        self._took = took
        self._broke = broke
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._stream: Stream | None = None
        self._last = ""
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._stopping.set()
        with self._lock:
            if self._stream:
                self._stream.close()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        tries = 0
        while not self._stopping.is_set():
            try:
                headers = {"Last-Event-ID": self._last} if self._last else {}
                stream = self._client.stream("/events", headers, SILENCE)
            except (OSError, ApiError):
                self._client.forget_server()
                self._stopping.wait(PAUSES[min(tries, len(PAUSES) - 1)])
                tries += 1
                continue
            tries = 0
            with self._lock:
                self._stream = stream
            if self._stopping.is_set():
                stream.close()
            self._read(stream)
            self._broke()

    def _read(self, stream: Stream) -> None:
        data: list[str] = []
        for line in stream.lines():
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "id":
                self._last = value
            elif field == "data":
                data.append(value)
            elif not line and data:
                content, data = "\n".join(data), []
                with contextlib.suppress(ValidationError):
                    self._took(Event.model_validate_json(content))


def _parsed(kind: type[AnswerT], body: Mapping[str, Any]) -> AnswerT:
    try:
        return kind.model_validate(body)
    except ValidationError:
        # Its text holds values, so it goes nowhere.
        text = QCoreApplication.translate(
            "Client", "The server and this app do not understand each other: one is older. Quit OwnSona, then start it again."
        )
        raise ApiError("VERSION", text) from None


def _refusal(status: int, body: Mapping[str, Any]) -> ApiError:
    error = body.get("error")
    code, message = (str(error.get("code")), str(error.get("message"))) if isinstance(error, dict) else ("REFUSED", "")
    if not message:
        message = QCoreApplication.translate("Client", "The server refused with status %1.").replace("%1", str(status))
    if status == 409 and "current" in body:
        with contextlib.suppress(ValidationError):
            return ConflictError(message, Conflicting.model_validate(body))
    return ApiError(code, message)
