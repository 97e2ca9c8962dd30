"""What the owner's use cases need beyond server.memory.ports; `server.store.owner` implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Protocol

from server.memory.model import Actor, JournalEntry, Memory
from server.memory.ports import Operation, Store
from server.memory.query import Query

SortKey = Literal["created", "updated", "confirmed", "importance", "salience", "text", "length"]
Decision = Literal["distinct", "related"]


@dataclass(frozen=True, slots=True)
class Sorting:
    """The order of a list; equals by id."""

    key: SortKey = "created"
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """How many live memories have a value."""

    name: str | None
    count: int


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A query with a name."""

    id: int
    name: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidebar:
    """What the window lists beside the table."""

    tags: Sequence[Count]
    providers: Sequence[Count]
    clients: Sequence[Count]
    sessions: Sequence[Count]
    saved: Sequence[SavedSearch]
    trash: int
    archived: int
    expired: int
    locked: int
    untagged: int


@dataclass(frozen=True, slots=True)
class Past:
    """Which journal entries are meant, newest first. All conditions hold together."""

    limit: int = 50
    before: int | None = None  # older than this id
    actor: str | None = None
    tool: str | None = None
    since: datetime | None = None
    memory_id: int | None = None


@dataclass(frozen=True, slots=True)
class PastEntry:
    """An entry with the first of its changes, how many there are, and the entry that has taken it back."""

    entry: JournalEntry
    count: int
    undone_by: int | None


@dataclass(frozen=True, slots=True)
class Day:
    """Memories made on one day."""

    day: date
    count: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """One bar of a chart."""

    bucket: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Figures of the whole store."""

    total: int
    active: int
    deleted: int
    expired: int
    locked: int
    avg_importance: float | None
    oldest_created_at: datetime | None
    newest_created_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What the charts show."""

    growth: Sequence[Day]
    tags: Sequence[Count]
    providers: Sequence[Count]
    freshness: Sequence[Bucket]
    lengths: Sequence[Bucket]
    totals: Totals


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A memory that is worth a look."""

    row: Memory
    reason: Literal["old", "unconfirmed", "expiring"]


class OwnerOperation(Operation, Protocol):
    """One transaction over very many rows. The `…_all` methods take one statement for some thousand rows."""

    @property
    def journal_id(self) -> int | None:
        """Its journal entry, once the block has ended; None where nothing was changed."""

    def lock_all(self, ids: Sequence[int]) -> list[Memory]:
        """The rows, deleted ones too, locked against other writers until the operation ends; in the order of their ids."""

    def update_all(self, changes: Sequence[tuple[Memory, Mapping[str, Any]]]) -> None:
        """Change columns other than the text of rows that `lock_all` returned."""

    def set_lexical_live_all(self, ids: Sequence[int], live: bool) -> None:
        """Take memories into or out of the lexical leg."""

    def erase_all(self, rows: Sequence[Memory]) -> None:
        """Remove rows for good, with their vectors, and blank them in every journal entry."""

    def revert_or_leave(self, entry: JournalEntry) -> list[Memory]:
        """As `revert`, but where it raises Conflict nothing of this entry is done, and the operation can go on."""

    def note_undone(self, journal_ids: Sequence[int]) -> None:
        """Remember that this operation takes back these entries."""

    def name_search(self, name: str, query: str) -> int:
        """Keep a query under a name, and return its id."""

    def drop_search(self, search_id: int) -> bool:
        """Forget a kept query; False where there is none."""

    def decide(self, pairs: Sequence[tuple[int, int]], decision: Decision) -> None:
        """Remember what the person says of pairs, the lower id first."""

    def set_setting(self, name: str, value: object) -> None:
        """Write one setting."""


class OwnerStore(Store, Protocol):
    """The store as the window needs it. Every method may raise StoreError."""

    def operation(self, actor: Actor, tool: str) -> AbstractContextManager[OwnerOperation]:
        """The only way to change rows."""

    def find(self, owner_id: int, query: Query, sorting: Sorting, conflicts: Sequence[int]) -> list[int]:
        """The ids of all memories that a query means; `conflicts` are those that is:conflict means."""

    def filtered(self, owner_id: int, query: Query, ids: Sequence[int], conflicts: Sequence[int]) -> set[int]:
        """Which of these ids a query means."""

    def sidebar(self, owner_id: int) -> Sidebar:
        """Everything beside the table."""

    def past(self, owner_id: int, wanted: Past) -> list[PastEntry]:
        """Journal entries, newest first."""

    def position(self, owner_id: int) -> tuple[int, int]:
        """Grows whenever a memory or a decision on pairs has changed: greatest version of either."""

    def decided_pairs(self, owner_id: int) -> set[tuple[int, int]]:
        """Pairs that the person has decided on, the lower id first."""

    def statistics(self, owner_id: int) -> Statistics:
        """What the charts show."""

    def totals(self, owner_id: int) -> Totals:
        """Figures of the whole store."""

    def review(self, owner_id: int, limit: int) -> list[Reviewed]:
        """Memories that are worth a look, most pressing first."""

    def entities(self, owner_id: int, text: str, limit: int) -> list[str]:
        """Names in the graph that hold a text, most connected first."""

    def settings(self, owner_id: int) -> dict[str, Any]:
        """All settings that were ever set."""
