"""What the owner's use cases share: scopes, outcomes, and going over very many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from server.memory.domain import Domain
from server.memory.model import InvalidInput, Limits, Memory
from server.memory.owner.ports import OwnerOperation, OwnerStore, Sorting
from server.memory.ports import Embedder, Pair

STEP_ROWS = 5_000  # held in memory at once

Mode = Literal["words", "meaning"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories are meant: these, or all that a query means."""

    ids: Sequence[int] | None = None
    query: str = ""
    mode: Mode = "words"


@dataclass(slots=True)
class Outcome:
    """What a write did to which memories; those that it left alone with the reason of the first."""

    changed: list[int] = field(default_factory=list)
    skipped: int = 0
    skipped_reason: str | None = None
    journal_id: int | None = None

    def skip(self, reason: str) -> None:
        """One that is left alone."""
        self.skipped += 1
        self.skipped_reason = self.skipped_reason or reason


@dataclass(frozen=True, slots=True)
class Found:
    """Ids in order; with a problem in the query there are none."""

    ids: list[int]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """Similar pairs as they were found at a moment."""

    pairs: Sequence[Pair]
    at: datetime


class PairCheck(Protocol):
    """Looks for similar pairs, which may take minutes, and keeps what it found."""

    def pairs(self, owner_id: int, threshold: float, *, shared_tag: bool) -> Checked | None:
        """The latest pairs with at least this similarity; None where they are still being looked for the first time."""


class OwnerDomain(Domain):
    """A store, an embedder, the limits, and the check for similar pairs. Safe to share between threads."""

    def __init__(
        self,
        store: OwnerStore,
        embedder: Embedder,
        limits: Limits,
        check: PairCheck,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(store, embedder, limits, now)
        self._rows = store
        self._check = check

    def find(self, owner_id: int, source: str, mode: Mode = "words", sorting: Sorting = Sorting()) -> Found:  # noqa: B008 - it is frozen
        """All ids that a query means, in order. Raises EmbeddingError in the mode "meaning", StoreError."""
        raise NotImplementedError

    def scope_ids(self, owner_id: int, scope: Scope) -> list[int]:
        """The ids that a scope means, each once, lowest first: rows are locked in this order. Raises InvalidInput, StoreError."""
        if scope.ids is not None:
            return sorted(set(scope.ids))
        found = self.find(owner_id, scope.query, scope.mode)
        if found.problem is not None:
            raise InvalidInput(found.problem)
        return sorted(found.ids)


def steps(operation: OwnerOperation, ids: Sequence[int]) -> Iterator[list[Memory]]:
    """The rows of ids, locked, some thousand at a time; the ids must be in ascending order."""
    for start in range(0, len(ids), STEP_ROWS):
        yield operation.lock_all(ids[start : start + STEP_ROWS])
