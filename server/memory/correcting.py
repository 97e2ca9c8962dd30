"""Correcting: texts, labels and dates, one or many; confirming and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from server.memory import learning
from server.memory.domain import Domain, live, unlocked
from server.memory.model import Actor, InvalidInput, Memory, Refusal, exact_key
from server.memory.ports import EmbeddingError, Operation, Vectors
from server.memory.tags import check_tags
from server.memory.terms import terms

FIELDS = ("text", "tags", "importance", "expires_at", "last_confirmed_at")


@dataclass(slots=True)
class _Edit:
    """A checked change of one memory on its way through a batch."""

    memory_id: int
    values: dict[str, Any]
    new_text: str | None = None  # where the text really changes
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What feedback did: the rows that were updated, and ids that are unknown or deleted."""

    reinforced: list[Memory]
    skipped: list[int]


class Correcting(Domain):
    """update_memory, update_memory_batch, confirm and reinforce."""

    def update(self, actor: Actor, memory_id: int, changes: Mapping[str, Any], *, dry_run: bool = False) -> None:
        """Change some of FIELDS of a live memory.

        Raises InvalidInput, SecretRejected, NotFound, Protected, EmbeddingError, StoreError.
        """
        (outcome,) = self.update_batch(actor, [(memory_id, changes)], dry_run=dry_run, tool="update_memory")
        if outcome is not None:
            raise outcome

    def update_batch(
        self,
        actor: Actor,
        items: Sequence[tuple[int, Mapping[str, Any]]],
        *,
        dry_run: bool = False,
        tool: str = "update_memory_batch",
    ) -> list[Refusal | EmbeddingError | None]:
        """Change many memories in one operation, with one call of the model; for each None or why not. Raises StoreError."""
        outcomes: list[Refusal | EmbeddingError | None] = [None] * len(items)
        edits: dict[int, _Edit] = {}
        for number, (memory_id, changes) in enumerate(items):
            try:
                edits[number] = self._check(actor.owner_id, memory_id, changes)
            except Refusal as refusal:
                outcomes[number] = refusal
        if dry_run:
            return outcomes
        failed = self._embed(list(edits.values()))
        with self._store.operation(actor, tool) as operation:
            operation.lock([edit.memory_id for edit in edits.values()])
            for number, edit in edits.items():
                if edit.new_text is not None and edit.vectors is None:
                    outcomes[number] = failed
                    continue
                try:
                    self._apply(operation, edit)
                except Refusal as refusal:
                    outcomes[number] = refusal
        return outcomes

    def _check(self, owner_id: int, memory_id: int, changes: Mapping[str, Any]) -> _Edit:
        if not changes:
            raise InvalidInput(f"At least one of {', '.join(FIELDS)} is required.")
        edit = _Edit(memory_id, dict(changes))
        values = edit.values
        if "text" in values:
            values["text"] = self.check_text(values["text"])
        if "tags" in values:
            values["tags"], values["tags_given"] = map(list, check_tags(values["tags"]))
        self.check_times(values.get("expires_at"), values.get("last_confirmed_at"))
        before = unlocked(live(self.get(owner_id, memory_id), memory_id))
        if values.get("text", before.text) != before.text:
            key = (before.namespace, exact_key(values["text"]))
            same = self._store.find_exact(owner_id, [key]).get(key, memory_id)
            if same != memory_id:
                raise InvalidInput(f"Memory {same} already says exactly this. Forget one of the two instead.")
            edit.new_text = values["text"]
        return edit

    def _embed(self, edits: Sequence[_Edit]) -> EmbeddingError | None:
        """Give each edit with a new text its vectors; returns the fault where that failed."""
        texts = [edit for edit in edits if edit.new_text is not None]
        if not texts:
            return None
        try:
            for edit, vectors in zip(texts, self._embedder.embed_passages([edit.new_text or "" for edit in texts]), strict=True):
                edit.vectors = vectors
        except EmbeddingError as error:
            return error
        return None

    @staticmethod
    def _apply(operation: Operation, edit: _Edit) -> None:
        before = unlocked(live(operation.get(edit.memory_id), edit.memory_id))
        after = operation.update(before, edit.values)
        if edit.vectors is not None:
            operation.set_derived(after.id, after.text, edit.vectors, terms(after.text))
        elif after.text != before.text:
            # It had the wanted text when it was checked and another one since; the vectors of the former still wait.
            operation.relive_vectors(after)
            operation.set_terms(after.id, terms(after.text), live=True)

    def confirm(self, actor: Actor, memory_id: int) -> datetime:
        """Note that a memory is still true, which also counts as positive feedback. Raises NotFound, StoreError."""
        now = self._now()
        with self._store.operation(actor, "confirm") as operation:
            memory = live(operation.get(memory_id), memory_id)
            operation.update(memory, {"last_confirmed_at": now, **learning.reinforced(memory, 1.0, now)})
        return now

    def reinforce(self, actor: Actor, ids: Sequence[int], delta: float, query: str | None) -> Feedback:
        """Feedback on recalled memories; a query that they helped to answer is learned as their context. Raises StoreError."""
        context = self._context(query) if query is not None and delta > 0 else None
        done, skipped = [], []
        with self._store.operation(actor, "reinforce") as operation:
            operation.lock(ids)
            for memory_id in dict.fromkeys(ids):
                memory = operation.get(memory_id)
                if memory is None or memory.deleted_at is not None:
                    skipped.append(memory_id)
                    continue
                after = operation.update(memory, learning.reinforced(memory, delta, self._now()))
                if context is not None:
                    after = operation.learn_context(after, context)
                done.append(after)
        return Feedback(done, skipped)

    def _context(self, query: str) -> Vectors | None:
        query = self.check_query(query)
        try:
            return self._embedder.embed_query(query)
        except EmbeddingError:  # the feedback itself counts all the same
            return None
