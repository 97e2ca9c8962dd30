"""Duplicates and contradictions: groups with a proposed keeper, decisions on pairs, merging."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from server.memory.distinct import differences
from server.memory.domain import live, unlocked
from server.memory.forgetting import bury
from server.memory.model import Actor, InvalidInput, Memory, not_found
from server.memory.owner.base import Outcome, OwnerDomain
from server.memory.owner.browsing import contradict
from server.memory.owner.ports import Decision
from server.memory.ports import Pair
from server.memory.reviewing import hanging_together
from server.memory.tags import check_tags
from server.memory.terms import terms

MOST_GROUPS = 500
MOST_MEMBERS = 50  # of one group


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two members of a group, with the words that tell them apart."""

    left: int
    right: int
    similarity: float
    differing_words: list[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that hang together by similar pairs; the keeper that a rule proposes, None where nothing should be merged unseen."""

    key: str
    members: list[Memory]
    similarity: float
    pairs: list[SimilarPair]
    keeper: int | None
    keeper_reason: str


@dataclass(frozen=True, slots=True)
class Groups:
    """`checked_at` None: they are still being looked for."""

    groups: list[Group] = field(default_factory=list)
    checked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What the keeper shall say; None takes it from all members together. `expires` says that `expires_at` is meant."""

    text: str | None = None
    tags: Sequence[str] | None = None
    importance: float | None = None
    expires: bool = False
    expires_at: datetime | None = None


class Duplicates(OwnerDomain):
    """What says the same, or says different things of the same."""

    def groups(self, owner_id: int, threshold: float, *, conflicts: bool = False) -> Groups:
        """Groups of live memories, the most similar first, without pairs that were decided on. Raises StoreError."""
        checked = self._check.pairs(owner_id, threshold, shared_tag=conflicts)
        if checked is None:
            return Groups()
        decided = self._rows.decided_pairs(owner_id)
        open_pairs = [pair for pair in checked.pairs if (pair.left, pair.right) not in decided]
        rows = self._alive(owner_id, {one for pair in open_pairs for one in (pair.left, pair.right)})
        alive = [pair for pair in open_pairs if pair.left in rows and pair.right in rows]
        if conflicts:
            alive = [pair for pair in alive if contradict(rows[pair.left], rows[pair.right], pair.similarity)]
        found = sorted(hanging_together(alive), key=lambda cluster: (-max(pair.similarity for pair in cluster), cluster[0].left))
        return Groups([_group(cluster, rows) for cluster in found[:MOST_GROUPS]], checked.at)

    def _alive(self, owner_id: int, ids: set[int]) -> dict[int, Memory]:
        now = self._now()
        rows = self._store.get(owner_id, sorted(ids))
        return {row.id: row for row in rows if row.deleted_at is None and (row.expires_at is None or row.expires_at > now)}

    def decide(self, actor: Actor, pairs: Sequence[tuple[int, int]], decision: Decision) -> Outcome:
        """Remember that pairs are no duplicates, or belong together as they are. Raises InvalidInput, NotFound, StoreError."""
        ordered = sorted({(min(pair), max(pair)) for pair in pairs})
        ids = sorted({one for pair in ordered for one in pair})
        if any(left == right for left, right in ordered):
            raise InvalidInput("A pair needs two different memories.")
        known = {row.id for row in self._store.get(actor.owner_id, ids)}
        for one in ids:
            if one not in known:
                raise not_found(one)
        with self._rows.operation(actor, decision) as operation:
            operation.decide(ordered, decision)
        return Outcome(ids, journal_id=operation.journal_id)

    def merge(self, actor: Actor, keeper_id: int, others: Sequence[int], wanted: Merged) -> Outcome:
        """Make one memory of several: the others become tombstones that name the keeper, in one step of undo.

        Raises InvalidInput, SecretRejected, NotFound, Protected, EmbeddingError, StoreError.
        """
        ids = sorted({keeper_id, *others})
        if len(ids) < 2 or keeper_id in others:
            raise InvalidInput("Merging needs a keeper and at least one other memory.")
        text = None if wanted.text is None else self.check_text(wanted.text)
        self.check_times(wanted.expires_at, None)
        vectors = None if text is None else self._embedder.embed_passages([text])[0]
        with self._rows.operation(actor, "merge") as operation:
            rows = {row.id: row for row in operation.lock_all(ids)}
            members = [live(rows.get(one), one) for one in ids]
            keeper = rows[keeper_id]
            values = united(keeper, members, wanted)
            for row in members:
                if row.id != keeper_id:
                    bury(operation, actor, unlocked(row), f"merged into memory {keeper_id}", keeper_id)
            if text is None or vectors is None or text == keeper.text:
                operation.update(keeper, values)
            else:
                operation.update(unlocked(keeper), {**values, "text": text})
                operation.set_derived(keeper_id, text, vectors, terms(text))
        return Outcome(ids, journal_id=operation.journal_id)


def united(keeper: Memory, members: Sequence[Memory], wanted: Merged) -> dict[str, Any]:
    """The columns of the keeper: what is wanted, else what the members have together. The oldest date of making is kept."""
    given = wanted.tags if wanted.tags is not None else [tag for row in (keeper, *members) for tag in row.tags_given or row.tags]
    tags, tags_given = check_tags(given)
    confirmed = [row.last_confirmed_at for row in members if row.last_confirmed_at is not None]
    used = [row.last_used_at for row in members if row.last_used_at is not None]
    ends = [row.expires_at for row in members if row.expires_at is not None]
    values: dict[str, Any] = {
        "tags": list(tags),
        "tags_given": list(tags_given),
        "importance": wanted.importance if wanted.importance is not None else max(row.importance for row in members),
        "created_at": min(row.created_at for row in members),
        "last_confirmed_at": max(confirmed, default=None),
        "last_used_at": max(used, default=None),
        "salience": max(row.salience for row in members),
        "use_count": sum(row.use_count for row in members),
        "reward_sum": sum(row.reward_sum for row in members),
        # One that never expires makes the whole last.
        "expires_at": max(ends) if len(ends) == len(members) else None,
    }
    if wanted.expires:
        values["expires_at"] = wanted.expires_at
    return values


def propose(members: Sequence[Memory], differing: bool) -> tuple[int | None, str]:
    """Which member to keep, and by which rule. Texts that say different things are never merged unseen."""
    if differing:
        return None, "They say different things; choose yourself."
    locked = [row for row in members if row.keep == "Y"]
    if len(locked) == 1:
        return locked[0].id, "It is locked."
    if locked:
        return None, "Several are locked; choose yourself."
    stamps = {row.last_confirmed_at or row.created_at for row in members}
    if len(stamps) > 1:
        return max(members, key=lambda row: (row.last_confirmed_at or row.created_at, row.id)).id, "It was confirmed last."
    return max(members, key=lambda row: (len(row.text), row.id)).id, "It says the most."


def _group(cluster: Sequence[Pair], rows: dict[int, Memory]) -> Group:
    ids = sorted({one for pair in cluster for one in (pair.left, pair.right)})[:MOST_MEMBERS]
    shown = set(ids)
    pairs = [
        SimilarPair(pair.left, pair.right, pair.similarity, differences(rows[pair.left].text, rows[pair.right].text))
        for pair in sorted(cluster, key=lambda pair: (-pair.similarity, pair.left, pair.right))
        if pair.left in shown and pair.right in shown
    ]
    members = [rows[one] for one in ids]
    keeper, reason = propose(members, any(pair.differing_words for pair in pairs))
    key = hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:16]
    return Group(key, members, max(pair.similarity for pair in cluster), pairs, keeper, reason)
