"""The check for similar pairs: at once where it is quick, else in the background, and kept until something has changed."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

from server.jobs.registry import JobError, Jobs, Progress
from server.memory.owner.base import Checked
from server.memory.owner.ports import OwnerStore
from server.memory.ports import StoreError

QUICK_ROWS = 2_000  # are compared while the caller waits
GRID = 20  # a check is made at a multiple of 1/20 and answers every higher threshold
KIND = "duplicates"


@dataclass(frozen=True, slots=True)
class _Kept:
    position: tuple[int, int]
    floor: float
    checked: Checked


class SimilarPairs:
    """Implements server.memory.owner.base.PairCheck. What it keeps is derived, and each server makes its own."""

    def __init__(self, store: OwnerStore, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, bool], _Kept] = {}

    def pairs(self, owner_id: int, threshold: float, *, shared_tag: bool) -> Checked | None:
        """The latest pairs with at least this similarity; None where they are still being looked for the first time."""
        position = self._store.position(owner_id)
        with self._lock:
            kept = self._kept.get((owner_id, shared_tag))
        floor = math.floor(threshold * GRID + 1e-9) / GRID
        if kept is None or kept.floor > floor or kept.position != position:
            if position[1] <= QUICK_ROWS:
                kept = self._look(owner_id, floor, shared_tag)
            else:
                self._look_later(owner_id, floor, shared_tag)
        if kept is None or kept.floor > floor:
            return None
        return Checked([pair for pair in kept.checked.pairs if pair.similarity >= threshold], kept.checked.at)

    def latest(self, owner_id: int, threshold: float) -> Checked | None:
        """What was found before, without looking again."""
        with self._lock:
            kept = self._kept.get((owner_id, False))
        if kept is None or kept.floor > threshold:
            return None
        return Checked([pair for pair in kept.checked.pairs if pair.similarity >= threshold], kept.checked.at)

    def _look(self, owner_id: int, floor: float, shared_tag: bool) -> _Kept:
        position = self._store.position(owner_id)
        pairs = self._store.similar_pairs(owner_id, floor, shared_tag=shared_tag)
        kept = _Kept(position, floor, Checked(pairs, datetime.now(UTC)))
        with self._lock:
            self._kept[owner_id, shared_tag] = kept
        return kept

    def _look_later(self, owner_id: int, floor: float, shared_tag: bool) -> None:
        def work(_: Progress) -> None:
            try:
                self._look(owner_id, floor, shared_tag)
            except StoreError as error:
                raise JobError(str(error)) from None

        if self._jobs.running(KIND) is None:
            self._jobs.start(KIND, work)
