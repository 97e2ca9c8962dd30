"""`/api/v1/events`: server-sent events. What the journal holds is resumed by Last-Event-ID; hints have no id and can be missed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import anyio
import anyio.to_thread
from starlette.types import Receive, Scope, Send

from server import api
from server.memory.ports import StoreError
from server.signals import JOURNAL, Signals
from server.store.events import Happening, Position
from server.web.answers import header_values

POLL_SECONDS = 0.5  # another server may have written
TOGETHER_SECONDS = 0.05  # what comes within is told at once
HEARTBEAT_SECONDS = 15.0
_ID = re.compile(r"(\d{1,19})-(\d{1,18})", re.ASCII)


class EventSource(Protocol):
    """What has changed. Both methods block and may raise StoreError."""

    def now(self) -> Position:
        """The place before all that is not committed yet."""

    def after(self, position: Position) -> Sequence[Happening]:
        """The next happenings, in order."""


class Events:
    """ASGI: the stream of one listener. It begins once the database answers, and ends when the server stops."""

    def __init__(self, source: EventSource, signals: Signals, stopping: Callable[[], Awaitable[None]]) -> None:
        self._source = source
        self._signals = signals
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        stream = _Stream(self._source, send, _position(header_values(scope, b"last-event-id")))
        with self._signals.listener(stream.hear):
            # What happens after the first line of the answer is told for certain.
            await stream.find_place()
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_then_cancel, self._stopping, tasks.cancel_scope)
                tasks.start_soon(_then_cancel, lambda: _gone(receive), tasks.cancel_scope)
                await stream.run()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Stream:
    def __init__(self, source: EventSource, send: Send, position: Position | None) -> None:
        self._source = source
        self._send = send
        self._position = position
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._heard: set[str] = set()
        self._told = time.monotonic()

    def hear(self, kind: str) -> None:
        """A hint, in any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._note, kind)

    def _note(self, kind: str) -> None:
        if kind != JOURNAL:
            self._heard.add(kind)
        self._wake.set()

    async def find_place(self) -> None:
        """Begin now, unless a place is known; while the database is away, later."""
        if self._position is None:
            with contextlib.suppress(StoreError):
                self._position = await anyio.to_thread.run_sync(self._source.now)

    async def run(self) -> None:
        """Tell what happens, for ever."""
        while True:
            await self.find_place()
            with contextlib.suppress(StoreError):  # the database is away; it is asked again
                await self._journal()
            await self._hints()
            if time.monotonic() - self._told >= HEARTBEAT_SECONDS:
                await self._tell(b":\n\n")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), POLL_SECONDS)
                await asyncio.sleep(TOGETHER_SECONDS)
            self._wake.clear()

    async def _journal(self) -> None:
        while self._position is not None and (happenings := await anyio.to_thread.run_sync(self._source.after, self._position)):
            for one in happenings:
                event = api.Event(id=one.position.id, kinds=tuple(one.kinds), tool=one.tool, actor=one.actor, ids=tuple(one.ids))
                place = f"{one.position.xid}-{one.position.id}"
                await self._tell(f"id: {place}\ndata: {event.model_dump_json()}\n\n".encode())
                self._position = one.position

    async def _hints(self) -> None:
        if self._heard:
            kinds, self._heard = tuple(sorted(self._heard)), set()
            await self._tell(f"data: {api.Event(id=None, kinds=kinds, tool='', actor='').model_dump_json()}\n\n".encode())

    async def _tell(self, piece: bytes) -> None:
        self._told = time.monotonic()
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})


async def _then_cancel(wait: Callable[[], Awaitable[None]], scope: anyio.CancelScope) -> None:
    await wait()
    scope.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _position(ids: Sequence[str]) -> Position | None:
    """Where a listener has stopped; None for the first time, or for an id that is not ours."""
    match = _ID.fullmatch(ids[0]) if len(ids) == 1 else None
    return Position(int(match[1]), int(match[2])) if match and int(match[1]) < 2**63 else None
