"""Forgetting: tombstones, hard deletes, and taking any change back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from server.memory.domain import Domain, unlocked
from server.memory.model import Actor, InvalidInput, JournalEntry, Memory, NotFound, Refusal, not_found
from server.memory.ports import Operation
from server.memory.terms import terms


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became, or would become, of a memory that was to be forgotten."""

    memory_id: int
    already_deleted: bool


class Forgetting(Domain):
    """forget, forget_batch, and undo."""

    def forget(
        self,
        actor: Actor,
        memory_id: int,
        *,
        hard: bool = False,
        reason: str | None = None,
        replaced_by_id: int | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Hide a memory as a tombstone, or remove it for good. Raises InvalidInput, NotFound, Protected, StoreError."""
        if hard and (reason is not None or replaced_by_id is not None):
            raise InvalidInput("reason and replaced_by_id cannot go with hard_delete: no row is left to hold them.")
        if replaced_by_id is not None and (replaced_by_id == memory_id or not self._store.get(actor.owner_id, [replaced_by_id])):
            raise InvalidInput(f"replaced_by_id {replaced_by_id} must be the id of another memory.")
        if dry_run:
            return _seen(unlocked(self.get(actor.owner_id, memory_id)))
        with self._store.operation(actor, "forget") as operation:
            memory = _present(operation, memory_id)
            if hard:
                for tombstone in operation.replaced_by(memory_id):
                    operation.update(tombstone, {"replaced_by_id": None})
                operation.erase(memory)
            else:
                bury(operation, actor, memory, reason, replaced_by_id)
        return _seen(memory)

    def forget_batch(
        self, actor: Actor, ids: Sequence[int], *, reason: str | None = None, dry_run: bool = False
    ) -> list[Forgotten | Refusal]:
        """Hide many memories in one operation; the outcome of each in order. Raises StoreError."""
        outcomes: list[Forgotten | Refusal] = []
        with self._store.operation(actor, "forget_batch") as operation:
            operation.lock(ids)
            for memory_id in ids:
                try:
                    memory = _present(operation, memory_id)
                except Refusal as refusal:
                    outcomes.append(refusal)
                    continue
                if not dry_run:
                    bury(operation, actor, memory, reason, None)
                outcomes.append(_seen(memory))
        return outcomes

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


def _present(operation: Operation, memory_id: int) -> Memory:
    memory = operation.get(memory_id)
    if memory is None:
        raise not_found(memory_id)
    return unlocked(memory)


def _seen(memory: Memory) -> Forgotten:
    return Forgotten(memory.id, memory.deleted_at is not None)


def bury(operation: Operation, actor: Actor, memory: Memory, reason: str | None, replaced_by_id: int | None) -> None:
    """Make a memory a tombstone, or write reason and successor onto one."""
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
