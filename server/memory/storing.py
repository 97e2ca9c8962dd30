"""Remembering: one fact or many, with a look at what is there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from server.memory import learning
from server.memory.distinct import differences
from server.memory.domain import Domain
from server.memory.forgetting import bury
from server.memory.model import Actor, Draft, Match, Memory, exact_key
from server.memory.ports import Operation, Vectors
from server.memory.tags import check_tags
from server.memory.terms import terms

NEAR = 0.90  # near duplicates and corrected tombstones
SAME_TOPIC = 0.80  # with a shared tag: may contradict
MOST_NEAR = 5
MOST_CONFLICTS = 10

DedupPolicy = Literal["insert", "skip_if_near", "ask"]


@dataclass(frozen=True, slots=True)
class Link:
    """What became of one id in `supersedes` or `downweights`."""

    id: int
    status: Literal["superseded", "downweighted", "protected", "not_found"]


@dataclass(slots=True)
class Remembered:
    """What became of a text that was to be remembered."""

    memory_id: int = 0
    stored: bool = False  # False: it was there already, or near enough under skip_if_near
    near_duplicates: list[Match] = field(default_factory=list)
    previously_corrected: list[Match] = field(default_factory=list)
    potential_conflicts: list[Match] = field(default_factory=list)
    superseded: list[Link] = field(default_factory=list)
    downweighted: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class _Work:
    """One draft on its way through a batch."""

    draft: Draft
    policy: DedupPolicy
    key: bytes
    result: Remembered = field(default_factory=Remembered)
    vectors: Vectors | None = None


class _Earlier:
    """What a batch has stored so far."""

    def __init__(self, works: Sequence[_Work]) -> None:
        self._memories: list[tuple[Memory, Vectors]] = []
        self._owners: list[int] = []  # of each stored window the position in `_memories`
        made = [work.vectors for work in works if work.vectors is not None]
        self._windows = np.empty((sum(map(len, made)), made[0].shape[1]) if made else (0, 0), np.float32)

    def add(self, memory: Memory, vectors: Vectors) -> None:
        """Count a memory as being there."""
        self._windows[len(self._owners) : len(self._owners) + len(vectors)] = vectors
        self._owners += [len(self._memories)] * len(vectors)
        self._memories.append((memory, vectors))

    def similar(self, vectors: Vectors) -> list[Match]:
        """Those that cover a text with at least SAME_TOPIC, oldest first."""
        best = np.max(self._windows[: len(self._owners)] @ vectors.T, axis=1)
        near = dict.fromkeys(self._owners[window] for window in np.flatnonzero(best >= SAME_TOPIC))
        found = [Match(memory, coverage(vectors, other)) for memory, other in (self._memories[one] for one in near)]
        return [match for match in found if match.score >= SAME_TOPIC]


class Storing(Domain):
    """remember and remember_batch."""

    def draft(self, text: str, tags: Sequence[str] = (), **fields: Any) -> Draft:
        """A checked draft. Raises InvalidInput or SecretRejected."""
        normal, given = check_tags(tags)
        self.check_times(fields.get("expires_at"), fields.get("last_confirmed_at"))
        return Draft(text=self.check_text(text), tags=normal, tags_given=given, **fields)

    def remember(
        self,
        actor: Actor,
        draft: Draft,
        policy: DedupPolicy = "ask",
        supersedes: Sequence[int] = (),
        downweights: Sequence[int] = (),
        tool: str = "remember",
    ) -> Remembered:
        """Store a draft, unless it is there already. Raises EmbeddingError, StoreError."""
        work = _Work(draft, policy, exact_key(draft.text))
        self._prepare(actor.owner_id, [work])
        with self._store.operation(actor, tool) as operation:
            self._insert(operation, work)
            operation.lock([*supersedes, *downweights])
            work.result.superseded = self._supersede(operation, actor, work.result.memory_id, supersedes)
            work.result.downweighted = self._downweight(operation, work.result.memory_id, downweights)
        return work.result

    def remember_batch(self, actor: Actor, drafts: Sequence[tuple[Draft, DedupPolicy]], tool: str = "remember_batch") -> list[Remembered]:
        """Store many drafts in one operation, with one call of the model; the outcome of each in order.

        Raises EmbeddingError, which concerns them all, and StoreError.
        """
        works = [_Work(draft, policy, exact_key(draft.text)) for draft, policy in drafts]
        self._prepare(actor.owner_id, works)
        with self._store.operation(actor, tool) as operation:
            operation.take_turn()
            earlier = _Earlier(works)
            for work in works:
                _look_at_earlier(work, earlier)
                made = self._insert(operation, work)
                if made is not None and work.vectors is not None:
                    earlier.add(made, work.vectors)
        return [work.result for work in works]

    def _prepare(self, owner_id: int, works: Sequence[_Work]) -> None:
        """Find what is there to the letter, embed the rest at once, and look around each."""
        keys = {(work.draft.namespace, work.key) for work in works}
        known = self._store.find_exact(owner_id, list(keys))
        for work in works:
            work.result.memory_id = known.get((work.draft.namespace, work.key), 0)
        fresh = [work for work in works if work.result.memory_id == 0]
        for work, vectors in zip(fresh, self._embedder.embed_passages([work.draft.text for work in fresh]) if fresh else [], strict=True):
            work.vectors = vectors
        self._look_around(owner_id, [work for work in fresh if work.policy != "insert"])

    def _look_around(self, owner_id: int, works: Sequence[_Work]) -> None:
        texts = [work.vectors for work in works if work.vectors is not None]
        if not texts:
            return
        live = self._store.similar(owner_id, texts, floor=SAME_TOPIC, limit=MOST_NEAR + MOST_CONFLICTS, tombstones=False)
        gone = self._store.similar(owner_id, texts, floor=NEAR, limit=MOST_NEAR, tombstones=True)
        for work, around, corrected in zip(works, live, gone, strict=True):
            work.result.previously_corrected = list(corrected)
            _sort_in(work, around)

    @staticmethod
    def _insert(operation: Operation, work: _Work) -> Memory | None:
        if work.result.memory_id or work.vectors is None:
            return None
        while (made := operation.insert(work.draft, work.key)) is None:
            # An earlier item, or another writer, was faster with the same text; unless it was forgotten since, that is the one.
            known = operation.find_exact(work.draft.namespace, work.key)
            if known is not None:
                work.result = Remembered(known)
                return None
        operation.set_derived(made.id, made.text, work.vectors, terms(made.text))
        work.result.memory_id, work.result.stored = made.id, True
        return made

    @staticmethod
    def _supersede(operation: Operation, actor: Actor, by: int, ids: Sequence[int]) -> list[Link]:
        links = []
        for one in sorted(set(ids) - {by}):
            old = operation.get(one)
            if old is None:
                links.append(Link(one, "not_found"))
            elif old.keep == "Y":
                links.append(Link(one, "protected"))
            else:
                bury(operation, actor, old, f"superseded by memory {by}", by)
                links.append(Link(one, "superseded"))
        return links

    def _downweight(self, operation: Operation, by: int, ids: Sequence[int]) -> list[Link]:
        links = []
        for one in sorted(set(ids) - {by}):
            old = operation.get(one)
            if old is None or old.deleted_at is not None:
                links.append(Link(one, "not_found"))
            elif old.keep == "Y":
                links.append(Link(one, "protected"))
            else:
                operation.update(old, learning.reinforced(old, -1.0, self._now()))
                links.append(Link(one, "downweighted"))
        return links


def _look_at_earlier(work: _Work, earlier: _Earlier) -> None:
    """What the same batch has stored before counts as being there."""
    found = earlier.similar(work.vectors) if work.vectors is not None and work.policy != "insert" else []
    if found:
        known = [*work.result.near_duplicates, *work.result.potential_conflicts, *found]
        _sort_in(work, sorted(known, key=lambda match: -match.score))


def _sort_in(work: _Work, around: Sequence[Match]) -> None:
    """Near duplicates and potential conflicts out of what is around, best first; under skip_if_near the one that says the same."""
    result, draft = work.result, work.draft
    result.near_duplicates = [match for match in around if match.score >= NEAR][:MOST_NEAR]
    near = {match.memory.id for match in result.near_duplicates}
    result.potential_conflicts = [match for match in around if match.memory.id not in near and set(match.memory.tags) & set(draft.tags)][
        :MOST_CONFLICTS
    ]
    if work.policy == "skip_if_near" and result.memory_id == 0:
        same = (match for match in result.near_duplicates if not differences(match.memory.text, draft.text))
        result.memory_id = next((match.memory.id for match in same), 0)


def coverage(left: Vectors, right: Vectors) -> float:
    """How well two texts say the same: the worst of all windows' best matches on the other side.

    With one window each this is their cosine. A short fact is no duplicate of a long note that merely contains it, since the
    note's other windows find no match.
    """
    cosines = left @ right.T
    return float(min(np.min(np.max(cosines, axis=1)), np.min(np.max(cosines, axis=0))))
