"""Carrying the records of one file to the server in steps, and counting what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from server.memory.model import DEFAULT_NAMESPACE, exact_key
from server.transfer.formats.base import Entry, FileError
from server.wire import compact

STEP_RECORDS = 256  # the most that the server takes in one step
STEP_BYTES = 1 << 20
MAX_RECORD_BYTES = 2 << 20


class Taker(Protocol):
    """The server, as far as sending needs it."""

    def take(
        self, records: Sequence[bytes], known: Mapping[int, int], links: Sequence[tuple[int, int]], *, dry_run: bool
    ) -> dict[str, Any]:
        """One step of an import."""


@dataclass(slots=True)
class Tally:
    """What became of the records of a file."""

    # "added", "present" (it was there), "forgotten" (it was there, but was forgotten since; it stays so)
    counts: Counter[str] = field(default_factory=Counter)
    unknown_fields: int = 0
    lost_links: int = 0  # tombstones whose successor the file does not hold
    skipped: dict[str, list[int]] = field(default_factory=dict)  # why -> lines or records
    entries: list[int] = field(default_factory=list)  # of the journal
    broken: str = ""  # why the file could not be read to its end

    @property
    def skipped_count(self) -> int:
        """How many records were skipped."""
        return sum(map(len, self.skipped.values()))

    def skip(self, place: int, why: str) -> None:
        """A record that is not taken."""
        self.skipped.setdefault(why, []).append(place)


@dataclass(frozen=True, slots=True)
class _Parcel:
    """A record on its way."""

    place: int
    values: Mapping[str, Any]
    body: bytes


class Sending:
    """The import of one file. Only ids of records that were taken are kept, so that files of any size can be read."""

    def __init__(self, server: Taker, *, dry_run: bool) -> None:
        self._server = server
        self._dry_run = dry_run
        self._known: dict[int, int] = {}  # id in the file -> id in the store
        self._waiting: dict[int, list[int]] = {}  # id in the file that was not met yet -> tombstones that it replaces
        self._links: list[tuple[int, int]] = []
        self._seen: set[object] = set()  # a dry run leaves no trace that a later step could find
        self.tally = Tally()

    def send(self, entries: Iterable[Entry], progress: Callable[[int], None] = lambda _: None) -> None:
        """Take in all records; `progress` hears the number of those that are done. Raises LocalApiError.

        What was sent until then stays, and `tally` tells about it.
        """
        done = 0
        try:
            for step in self._steps(entries):
                self._take(step)
                done += len(step)
                progress(done)
        finally:
            self.tally.lost_links = sum(map(len, self._waiting.values()))
        if self._links:
            self._take([])

    def _steps(self, entries: Iterable[Entry]) -> Iterator[list[_Parcel]]:
        step: list[_Parcel] = []
        size = 0
        for entry in self._until_broken(entries):
            parcel = self._pack(entry)
            if parcel is None:
                continue
            if step and (len(step) == STEP_RECORDS or size + len(parcel.body) > STEP_BYTES):
                yield step
                step, size = [], 0
            step.append(parcel)
            size += len(parcel.body)
        if step:
            yield step

    def _until_broken(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        try:
            yield from entries
        except FileError as error:
            self.tally.broken = str(error)

    def _pack(self, entry: Entry) -> _Parcel | None:
        if entry.values is None:
            self.tally.skip(entry.place, entry.fault)
            return None
        try:
            body = compact(entry.values)
        except UnicodeEncodeError:
            self.tally.skip(entry.place, "It is not valid Unicode; the file must be UTF-8.")
        except RecursionError:
            self.tally.skip(entry.place, "The record is nested too deeply.")
        else:
            if len(body) <= MAX_RECORD_BYTES:
                return _Parcel(entry.place, entry.values, body)
            self.tally.skip(entry.place, "The record is too large to be a memory.")
        return None

    def _take(self, step: Sequence[_Parcel]) -> None:
        if self._dry_run:
            step = self._first_seen(step)
        wanted = {one for one in map(_successor, step) if one is not None}
        known = {there: self._known[there] for there in wanted if there in self._known}
        links, self._links = self._links, []
        answer = self._server.take([parcel.body for parcel in step], known, links, dry_run=self._dry_run)
        self.tally.unknown_fields += answer["unknown_fields"]
        if answer["journal_id"] is not None:
            self.tally.entries.append(answer["journal_id"])
        for parcel, outcome in zip(step, answer["outcomes"], strict=True):
            self._note(parcel, outcome)
        for parcel, outcome in zip(step, answer["outcomes"], strict=True):
            self._await_successor(parcel, outcome)

    def _note(self, parcel: _Parcel, outcome: Mapping[str, Any]) -> None:
        status = outcome["status"]
        if status == "refused":
            self.tally.skip(parcel.place, outcome["reason"])
            return
        self.tally.counts[status] += 1
        if self._dry_run:
            self._seen |= _marks(parcel.values)
        there, here = _number(parcel.values.get("id")), outcome["id"]
        if there is None or here is None or there in self._known:
            return
        self._known[there] = here
        self._links += [(tombstone, here) for tombstone in self._waiting.pop(there, [])]

    def _await_successor(self, parcel: _Parcel, outcome: Mapping[str, Any]) -> None:
        """What the server could not link yet, because the successor comes later in the file."""
        successor = _successor(parcel)
        if outcome.get("id") is not None and successor is not None and successor not in self._known:
            self._waiting.setdefault(successor, []).append(outcome["id"])

    def _first_seen(self, step: Sequence[_Parcel]) -> list[_Parcel]:
        """Those records of a dry run that do not repeat an earlier one."""
        fresh = []
        for parcel in step:
            if self._seen & _marks(parcel.values):
                self.tally.counts["present"] += 1
            else:
                fresh.append(parcel)
        return fresh


def _successor(parcel: _Parcel) -> int | None:
    return _number(parcel.values.get("replaced_by_id"))


def _number(value: object) -> int | None:
    """An id as the server reads it."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _marks(values: Mapping[str, Any]) -> set[object]:
    """What a repetition of this record in the same file would share with it."""
    text, uuid, deleted = values.get("text"), values.get("uuid"), values.get("deleted_at")
    marks: set[object] = {uuid} if isinstance(uuid, str) else set()
    if isinstance(text, str) and (deleted is None or not marks):
        marks.add((str(values.get("namespace") or DEFAULT_NAMESPACE), exact_key(text), str(deleted)))
    return marks
