"""The use cases: remember, recall, list, correct, forget, and take back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from server.memory import learning, ranking
from server.memory.distinct import differences
from server.memory.model import (
    MAX_ID,
    Actor,
    Conflict,
    Draft,
    Filter,
    InvalidInput,
    JournalEntry,
    Limits,
    Match,
    Memory,
    NotFound,
    Protected,
    Stats,
    exact_key,
    not_found,
)
from server.memory.ports import Embedder, Operation, Store, Vectors
from server.memory.secrets import refuse_secrets
from server.memory.tags import check_tags, normalize_tags
from server.memory.terms import query_terms, terms

NEAR = 0.90  # near duplicates and corrected tombstones
SAME_TOPIC = 0.80  # with a shared tag: may contradict
MOST_NEAR = 5
MOST_CONFLICTS = 10
CONFIRMED_AHEAD = timedelta(minutes=5)
EXPIRES_AHEAD = timedelta(days=36525)
CANDIDATES = 100  # of each leg

DedupPolicy = Literal["insert", "skip_if_near", "ask"]


@dataclass(frozen=True, slots=True)
class Link:
    """What became of one id in `supersedes` or `downweights`."""

    id: int
    status: Literal["superseded", "downweighted", "protected", "not_found"]


@dataclass(slots=True)
class Remembered:
    """What became of a text that was to be remembered."""

    memory_id: int
    stored: bool  # False: it was there already, or near enough under skip_if_near
    near_duplicates: list[Match] = field(default_factory=list)
    previously_corrected: list[Match] = field(default_factory=list)
    potential_conflicts: list[Match] = field(default_factory=list)
    superseded: list[Link] = field(default_factory=list)
    downweighted: list[Link] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became, or would become, of a memory that was to be forgotten."""

    memory_id: int
    already_deleted: bool


class Memories:
    """Everything that can be done with memories, over a store and an embedder. Safe to share between threads."""

    def __init__(self, store: Store, embedder: Embedder, limits: Limits, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store = store
        self._embedder = embedder
        self._now = now
        self.limits = limits

    # ---- storing

    def check_text(self, text: str, field: str = "text") -> str:
        """The trimmed text. Raises InvalidInput or SecretRejected."""
        text = text.strip()
        if not text:
            raise InvalidInput(f"The {field} field is required and must not be blank.")
        if len(text) > self.limits.max_text_chars:
            raise InvalidInput(f"{field} may have at most {self.limits.max_text_chars} characters; it has {len(text)}.")
        refuse_secrets(text)
        return text

    def draft(self, text: str, tags: Sequence[str] = (), **fields: Any) -> Draft:
        """A checked draft. Raises InvalidInput or SecretRejected."""
        normal, given = check_tags(tags)
        self._check_times(fields.get("expires_at"), fields.get("last_confirmed_at"))
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
        key = exact_key(draft.text)
        known = self._store.find_exact(actor.owner_id, draft.namespace, key)
        result = Remembered(known or 0, stored=False)
        vectors = None
        if known is None:
            (vectors,) = self._embedder.embed_passages([draft.text])
            self._look_around(actor.owner_id, draft, vectors, policy, result)
        with self._store.operation(actor, tool) as operation:
            if result.memory_id == 0 and vectors is not None:
                self._insert(operation, draft, key, vectors, result)
            result.superseded = self._supersede(operation, actor, result.memory_id, supersedes)
            result.downweighted = self._downweight(operation, result.memory_id, downweights)
        return result

    def _look_around(self, owner_id: int, draft: Draft, vectors: Vectors, policy: DedupPolicy, result: Remembered) -> None:
        if policy == "insert":
            return
        around = self._store.similar(owner_id, vectors, floor=SAME_TOPIC, limit=MOST_NEAR + MOST_CONFLICTS, tombstones=False)
        result.near_duplicates = [match for match in around if match.score >= NEAR][:MOST_NEAR]
        result.previously_corrected = list(self._store.similar(owner_id, vectors, floor=NEAR, limit=MOST_NEAR, tombstones=True))
        near = {match.memory.id for match in result.near_duplicates}
        result.potential_conflicts = [
            match for match in around if match.memory.id not in near and set(match.memory.tags) & set(draft.tags)
        ][:MOST_CONFLICTS]
        if policy == "skip_if_near":
            same = (match for match in result.near_duplicates if not differences(match.memory.text, draft.text))
            result.memory_id = next((match.memory.id for match in same), 0)

    def _insert(self, operation: Operation, draft: Draft, key: bytes, vectors: Vectors, result: Remembered) -> None:
        made = operation.insert(draft, key)
        if made is None:  # another writer was faster with the same text
            result.memory_id = operation.find_exact(draft.namespace, key) or 0
            if result.memory_id == 0:
                raise Conflict("The same text was stored and forgotten at this very moment. Try again.")
            return
        operation.set_derived(made.id, made.text, vectors, terms(made.text))
        result.memory_id, result.stored = made.id, True

    def _supersede(self, operation: Operation, actor: Actor, by: int, ids: Sequence[int]) -> list[Link]:
        links = []
        for one in sorted(set(ids) - {by}):
            old = operation.get(one)
            if old is None:
                links.append(Link(one, "not_found"))
            elif old.keep == "Y":
                links.append(Link(one, "protected"))
            else:
                self._bury(operation, actor, old, f"superseded by memory {by}", by)
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

    # ---- finding

    def recall(self, owner_id: int, query: str, limit: int, min_score: float | None = None, tags: Sequence[str] = ()) -> list[Match]:
        """The memories that answer a query best, best first. Raises InvalidInput, EmbeddingError, StoreError."""
        query = query.strip()
        if not query:
            raise InvalidInput("The query field is required and must not be blank.")
        if len(query) > self.limits.max_text_chars:
            raise InvalidInput(f"query may have at most {self.limits.max_text_chars} characters; it has {len(query)}.")
        wanted = normalize_tags(tags)
        if tags and not wanted:
            return []
        found = self._store.candidates(owner_id, self._embedder.embed_query(query), query_terms(query), wanted, CANDIDATES)
        best = {candidate.id: candidate.cosine for candidate in ranking.rank(found, min(limit, self.limits.max_recall_limit), min_score)}
        return [Match(memory, best[memory.id]) for memory in self._store.get(owner_id, list(best))]

    def listing(self, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
        """Newest first; `limit` is cut to the cap. Raises InvalidInput, StoreError."""
        self._check_filter(wanted)
        return self._store.listing(owner_id, wanted, min(limit, self.limits.max_recall_limit), min(offset, MAX_ID))

    def get(self, owner_id: int, memory_id: int) -> Memory:
        """One memory, deleted ones too. Raises NotFound."""
        rows = self._store.get(owner_id, [memory_id])
        if not rows:
            raise not_found(memory_id)
        return rows[0]

    def stats(self, owner_id: int) -> Stats:
        """Figures of the whole store."""
        return self._store.stats(owner_id)

    # ---- correcting

    def update(
        self, actor: Actor, memory_id: int, changes: Mapping[str, Any], *, dry_run: bool = False, tool: str = "update_memory"
    ) -> None:
        """Change text, tags, importance, expires_at or last_confirmed_at of a live memory.

        Raises InvalidInput, SecretRejected, NotFound, Protected, EmbeddingError, StoreError.
        """
        values = dict(changes)
        if "text" in values:
            values["text"] = self.check_text(values["text"])
        if "tags" in values:
            values["tags"], values["tags_given"] = map(list, check_tags(values["tags"]))
        self._check_times(values.get("expires_at"), values.get("last_confirmed_at"))
        before = self._editable(self.get(actor.owner_id, memory_id))
        vectors = None
        if "text" in values and values["text"] != before.text:
            same = self._store.find_exact(actor.owner_id, before.namespace, exact_key(values["text"]))
            if same not in (None, memory_id):
                raise InvalidInput(f"Memory {same} already says exactly this. Forget one of the two instead.")
            values["relations_extracted"] = False
            if not dry_run:
                (vectors,) = self._embedder.embed_passages([values["text"]])
        if dry_run:
            return
        with self._store.operation(actor, tool) as operation:
            present = self._editable(operation.get(memory_id), memory_id)
            after = operation.update(present, values)
            if vectors is not None:
                operation.set_derived(memory_id, after.text, vectors, terms(after.text))

    def forget(
        self,
        actor: Actor,
        memory_id: int,
        *,
        hard: bool = False,
        reason: str | None = None,
        replaced_by_id: int | None = None,
        dry_run: bool = False,
        tool: str = "forget",
    ) -> Forgotten:
        """Hide a memory as a tombstone, or remove it for good. Raises InvalidInput, NotFound, Protected, StoreError."""
        if hard and (reason is not None or replaced_by_id is not None):
            raise InvalidInput("reason and replaced_by_id cannot go with hard_delete: no row is left to hold them.")
        if replaced_by_id is not None and (replaced_by_id == memory_id or not self._store.get(actor.owner_id, [replaced_by_id])):
            raise InvalidInput(f"replaced_by_id {replaced_by_id} must be the id of another memory.")
        if dry_run:
            memory = self._unlocked(self.get(actor.owner_id, memory_id))
            return Forgotten(memory_id, memory.deleted_at is not None)
        with self._store.operation(actor, tool) as operation:
            row = operation.get(memory_id)
            if row is None:
                raise not_found(memory_id)
            memory = self._unlocked(row)
            if hard:
                for tombstone in operation.replaced_by(memory_id):
                    operation.update(tombstone, {"replaced_by_id": None})
                operation.erase(memory)
            else:
                self._bury(operation, actor, memory, reason, replaced_by_id)
        return Forgotten(memory_id, memory.deleted_at is not None)

    @staticmethod
    def _bury(operation: Operation, actor: Actor, memory: Memory, reason: str | None, replaced_by_id: int | None) -> None:
        values: dict[str, Any] = {}
        if memory.deleted_at is None:
            values = {"deleted_at": datetime.now(UTC), "deleted_by": actor.kind}
            operation.set_lexical_live(memory.id, live=False)
        if reason is not None:
            values["forget_reason"] = reason
        if replaced_by_id is not None:
            values["replaced_by_id"] = replaced_by_id
        if values:
            operation.update(memory, values)

    # ---- taking back

    def journal(self, owner_id: int, limit: int, before: int | None = None) -> Sequence[JournalEntry]:
        """What was done, newest first."""
        return self._store.journal(owner_id, limit, before)

    def undo(self, actor: Actor, journal_id: int) -> list[int]:
        """Take one entry back and return the ids of the memories that this changed. Undoing the new entry redoes it.

        Raises NotFound, Conflict where a row has changed since, StoreError.
        """
        with self._store.operation(actor, "undo") as operation:
            entry = operation.entry(journal_id)
            if entry is None:
                raise NotFound(f"The journal has no entry {journal_id}.")
            changed = operation.revert(entry)
            for memory in changed:
                operation.relive_vectors(memory)
                operation.set_terms(memory.id, terms(memory.text), live=memory.deleted_at is None)
        return [memory.id for memory in changed]

    # ---- rules

    def _editable(self, memory: Memory | None, memory_id: int = 0) -> Memory:
        if memory is None or memory.deleted_at is not None:
            raise not_found(memory.id if memory else memory_id)
        return self._unlocked(memory)

    @staticmethod
    def _unlocked(memory: Memory) -> Memory:
        if memory.keep == "Y":
            raise Protected(f"Memory {memory.id} is locked by its owner. Only the owner can unlock it, in the window of OwnSona.")
        return memory

    def _check_times(self, expires_at: datetime | None, last_confirmed_at: datetime | None) -> None:
        if expires_at is not None and expires_at > self._now() + EXPIRES_AHEAD:
            raise InvalidInput("expires_at may be at most 100 years ahead.")
        if last_confirmed_at is not None and last_confirmed_at > self._now() + CONFIRMED_AHEAD:
            raise InvalidInput("last_confirmed_at must not be in the future.")

    def _check_filter(self, wanted: Filter) -> None:
        if wanted.min_chars is not None and wanted.max_chars is not None and wanted.min_chars > wanted.max_chars:
            raise InvalidInput("min_chars must not be greater than max_chars.")
        if wanted.not_confirmed_since is not None and wanted.not_confirmed_since > self._now() + CONFIRMED_AHEAD:
            raise InvalidInput("not_confirmed_since must not be in the future.")
