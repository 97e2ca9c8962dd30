"""From the windows to the local API and back: calls run in threads, their results arrive on the GUI's thread.

Calls about memories run one after another, in the order in which they were made; slow ones that touch nothing else (`Lane.SIDE`)
run beside them. A call with a `slot` replaces the receiver's earlier call of that slot: its result is dropped, and it never starts
where it had not begun.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal, Slot

from app.client import ApiError, Client, Event, EventReader

log = logging.getLogger(__name__)
Result = TypeVar("Result")
SIDE_THREADS = 3


class Lane(enum.Enum):
    """Where a call runs."""

    STORE = "store"
    SIDE = "side"


@dataclass(slots=True, eq=False)
class _Call:
    """One call on its way."""

    receiver: QObject
    slot: str
    done: Callable[[Any], object]
    failed: Callable[[ApiError], object] | None
    writes: bool
    outcome: Any = None
    error: ApiError | None = None
    future: Future[None] | None = None


class Bridge(QObject):
    """The one way from the GUI to the server."""

    heard = Signal(object)  # an Event of the server's stream
    missed = Signal()  # the stream broke off, so events may have been missed
    failure = Signal(object)  # an ApiError that no caller took
    busy = Signal(int)  # calls under way
    _returned = Signal(object)
    _event_came = Signal(object)
    _stream_broke = Signal()

    def __init__(self, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._lanes = {
            Lane.STORE: ThreadPoolExecutor(1, thread_name_prefix="store calls"),
            Lane.SIDE: ThreadPoolExecutor(SIDE_THREADS, thread_name_prefix="side calls"),
        }
        self._latest: dict[tuple[int, str], _Call] = {}
        self._under_way = 0
        self._writing = 0
        self._closed = False
        self._returned.connect(self._deliver)
        self._event_came.connect(self._pass_event)
        self._stream_broke.connect(self._pass_break)
        self._reader = EventReader(client, self._event_came.emit, self._stream_broke.emit)

    def start(self) -> None:
        """Begin to listen to the server's events."""
        self._reader.start()

    @property
    def under_way(self) -> int:
        """Calls whose results have not been delivered."""
        return self._under_way

    @property
    def writing(self) -> int:
        """Those of them that change something."""
        return self._writing

    def call(
        self,
        receiver: QObject,
        work: Callable[[Client], Result],
        done: Callable[[Result], object],
        failed: Callable[[ApiError], object] | None = None,
        *,
        slot: str = "",
        lane: Lane = Lane.STORE,
        writes: bool = False,
    ) -> None:
        """Run `work` in a thread; `done` or `failed` gets its result here, unless `receiver` is gone by then."""
        if self._closed:
            return
        call = _Call(receiver, slot, done, failed, writes)
        if slot:
            self._replace(call)
        self._count(call, 1)
        call.future = self._lanes[lane].submit(self._run, work, call)

    def close(self) -> None:
        """Stop listening and wait for the call under way; nothing is delivered any more."""
        self._closed = True
        self._reader.stop()
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=True)
        self._client.close()

    def _replace(self, call: _Call) -> None:
        key = (id(call.receiver), call.slot)
        earlier = self._latest.get(key)
        self._latest[key] = call
        if earlier is not None and earlier.future is not None and earlier.future.cancel():
            self._count(earlier, -1)

    def _run(self, work: Callable[[Client], Any], call: _Call) -> None:
        try:
            call.outcome = work(self._client)
        except ApiError as error:
            call.error = error
        except Exception as error:  # the boundary of a thread
            log.exception("A call of the local API failed.")
            call.error = ApiError("INTERNAL", f"The app failed unexpectedly ({type(error).__name__}). Try again; the app's log says where.")
        if not self._closed:
            self._returned.emit(call)

    @Slot(object)
    def _deliver(self, call: _Call) -> None:
        self._count(call, -1)
        if call.slot:
            key = (id(call.receiver), call.slot)
            if self._latest.get(key) is not call:
                return
            del self._latest[key]
        if self._closed or not shiboken6.isValid(call.receiver):
            return
        if call.error is None:
            call.done(call.outcome)
        elif call.failed is not None:
            call.failed(call.error)
        else:
            self.failure.emit(call.error)

    @Slot(object)
    def _pass_event(self, event: Event) -> None:
        if not self._closed:
            self.heard.emit(event)

    @Slot()
    def _pass_break(self) -> None:
        if not self._closed:
            self.missed.emit()

    def _count(self, call: _Call, step: int) -> None:
        self._under_way += step
        self._writing += step if call.writes else 0
        self.busy.emit(self._under_way)
