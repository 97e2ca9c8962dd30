"""Editing one memory or all that a query means, in one operation that can be undone: fields, trash, restoring, erasing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from server.memory import learning
from server.memory.model import Actor, Conflict, InvalidInput, Keep, Memory, exact_key
from server.memory.owner.base import Outcome, OwnerDomain, Scope, steps
from server.memory.owner.ports import OwnerOperation
from server.memory.storing import Storing
from server.memory.tags import MAX_TAGS, check_tags, normalize_tag, normalize_tags
from server.memory.terms import terms

LOCKED = "It is locked. Unlock it first."


class Stale(Conflict):
    """The memory has changed since the edit began."""

    def __init__(self, current: Memory) -> None:
        super().__init__("The memory was changed meanwhile. Look at both versions, then save again.")
        self.current = current


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to change; None leaves a field as it is. `expires` says that `expires_at` is meant, None being never."""

    text: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    importance: float | None = None
    expires: bool = False
    expires_at: datetime | None = None
    keep: Keep | None = None


class Editing(Storing, OwnerDomain):
    """What the person changes by hand. A locked memory must be unlocked first; confirming it is always allowed."""

    def add(self, actor: Actor, text: str, tags: Sequence[str], importance: float, expires_at: datetime | None) -> Outcome:
        """A memory that the person writes. Raises InvalidInput, SecretRejected, EmbeddingError, StoreError."""
        draft = self.draft(text, tags, importance=importance, expires_at=expires_at, capture_mode="explicit")
        (vectors,) = self._embedder.embed_passages([draft.text])
        key = exact_key(draft.text)
        with self._rows.operation(actor, "add") as operation:
            made = operation.insert(draft, key)
            if made is None:
                raise InvalidInput(f"Memory {operation.find_exact(draft.namespace, key)} already says exactly this.")
            operation.set_derived(made.id, made.text, vectors, terms(made.text))
        return Outcome([made.id], journal_id=operation.journal_id)

    def change(self, actor: Actor, scope: Scope, changes: Changes, version: int | None = None) -> Outcome:
        """Change fields; a new text of one memory only. Raises Stale, InvalidInput, SecretRejected, EmbeddingError, StoreError.

        `version` is the one that an edit of one memory started from.
        """
        self.check_times(changes.expires_at, None)
        added, removed = check_tags(changes.add_tags, "add_tags"), frozenset(normalize_tags(changes.remove_tags))
        ids = self.scope_ids(actor.owner_id, scope)
        if (changes.text is not None or version is not None) and len(ids) != 1:
            raise InvalidInput("A text, and a version, can only be given for one memory.")
        text = None if changes.text is None else self.check_text(changes.text)
        vectors = None if text is None else self._embedder.embed_passages([text])[0]
        outcome = Outcome()
        with self._rows.operation(actor, "edit") as operation:
            for rows in steps(operation, ids):
                if version is not None and rows and rows[0].version != version:
                    raise Stale(rows[0])
                edits = _edits(rows, changes, added, removed, outcome)
                if text is None or vectors is None:
                    operation.update_all(edits)
                    continue
                for row, values in edits:
                    after = operation.update(row, {**values, "text": text})
                    operation.set_derived(after.id, text, vectors, terms(text))
        outcome.journal_id = operation.journal_id
        return outcome

    def confirm(self, actor: Actor, scope: Scope) -> Outcome:
        """Note that memories are still true, which also counts as positive feedback; locked ones too."""
        now = self._now()

        def values(row: Memory) -> Mapping[str, Any] | None:
            return None if row.deleted_at is not None else {"last_confirmed_at": now, **learning.reinforced(row, 1.0, now)}

        outcome = Outcome()
        with self._rows.operation(actor, "confirm") as operation:
            for rows in steps(operation, self.scope_ids(actor.owner_id, scope)):
                _apply(operation, rows, values, outcome)
        outcome.journal_id = operation.journal_id
        return outcome

    def trash(self, actor: Actor, scope: Scope, reason: str | None = None) -> Outcome:
        """Hide memories as tombstones."""
        now = self._now()

        def values(row: Memory) -> Mapping[str, Any] | None:
            return None if row.deleted_at is not None else {"deleted_at": now, "deleted_by": actor.kind, "forget_reason": reason}

        outcome = Outcome()
        with self._rows.operation(actor, "trash") as operation:
            for rows in steps(operation, self.scope_ids(actor.owner_id, scope)):
                done = _apply(operation, _unlocked(rows, outcome), values, outcome)
                operation.set_lexical_live_all(done, live=False)
        outcome.journal_id = operation.journal_id
        return outcome

    def restore(self, actor: Actor, scope: Scope) -> Outcome:
        """Take memories out of the trash. One whose text a live memory has by now stays there."""
        outcome = Outcome()
        with self._rows.operation(actor, "restore") as operation:
            for rows in steps(operation, self.scope_ids(actor.owner_id, scope)):
                done = _apply(operation, self._restorable(actor.owner_id, rows, outcome), lambda _: dict(RESTORED), outcome)
                operation.set_lexical_live_all(done, live=True)
        outcome.journal_id = operation.journal_id
        return outcome

    def _restorable(self, owner_id: int, rows: Sequence[Memory], outcome: Outcome) -> list[Memory]:
        """Tombstones whose text no live memory has, the first of each text."""
        gone = [row for row in rows if row.deleted_at is not None]
        keys = {row.id: (row.namespace, exact_key(row.text)) for row in gone}
        taken = set(self._store.find_exact(owner_id, list(set(keys.values()))))
        chosen = []
        for row in gone:
            if keys[row.id] in taken:
                outcome.skip("Another memory says exactly the same.")
                continue
            taken.add(keys[row.id])
            chosen.append(row)
        return chosen

    def erase(self, actor: Actor, scope: Scope) -> Outcome:
        """Remove memories for good, with all that the journal holds of them. It cannot be undone."""
        outcome = Outcome()
        with self._rows.operation(actor, "erase") as operation:
            for rows in steps(operation, self.scope_ids(actor.owner_id, scope)):
                allowed = _unlocked(rows, outcome)
                operation.erase_all(allowed)
                outcome.changed += [row.id for row in allowed]
        outcome.journal_id = operation.journal_id
        return outcome


RESTORED: Mapping[str, Any] = {"deleted_at": None, "deleted_by": None, "forget_reason": None, "replaced_by_id": None}


def _unlocked(rows: Iterable[Memory], outcome: Outcome) -> list[Memory]:
    """Those that are not locked; the others are noted."""
    allowed = []
    for row in rows:
        if row.keep == "Y":
            outcome.skip(LOCKED)
        else:
            allowed.append(row)
    return allowed


def _apply(
    operation: OwnerOperation, rows: Sequence[Memory], values: Callable[[Memory], Mapping[str, Any] | None], outcome: Outcome
) -> list[int]:
    """Change rows, those without values left as they are; the ids of what was changed."""
    edits = [(row, changed) for row in rows if (changed := values(row)) is not None]
    operation.update_all(edits)
    done = [row.id for row, _ in edits]
    outcome.changed += done
    return done


def _edits(
    rows: Sequence[Memory],
    changes: Changes,
    added: tuple[tuple[str, ...], tuple[str, ...]],
    removed: frozenset[str],
    outcome: Outcome,
) -> list[tuple[Memory, dict[str, Any]]]:
    """The new values of each row that may and does change; notes the rest."""
    values: dict[str, Any] = {}
    if changes.importance is not None:
        values["importance"] = changes.importance
    if changes.expires:
        values["expires_at"] = changes.expires_at
    if changes.keep is not None:
        values["keep"] = changes.keep
    # Locking itself is no change of what is locked; all else needs the lock to be open, or opened by this very change.
    only_lock = list(values) == ["keep"] and changes.text is None and not added[0] and not removed
    allowed = list(rows) if only_lock or changes.keep in ("N", "U") else _unlocked(rows, outcome)
    edits = []
    for row in allowed:
        own = dict(values)
        if added[0] or removed:
            tags = retagged(row, added, removed)
            if len(tags[0]) > MAX_TAGS:
                outcome.skip(f"It would have more than {MAX_TAGS} tags.")
                continue
            own["tags"], own["tags_given"] = tags
        if changes.text is not None or any(getattr(row, name) != value for name, value in own.items()):
            edits.append((row, own))
    outcome.changed += [row.id for row, _ in edits]
    return edits


def retagged(row: Memory, added: tuple[tuple[str, ...], tuple[str, ...]], removed: frozenset[str]) -> tuple[list[str], list[str]]:
    """A memory's tags, compared and as given, without some and with others. What was given in another spelling stays as it is."""
    normal = [tag for tag in row.tags if tag not in removed]
    given = [tag for tag in row.tags_given if normalize_tag(tag) not in removed]
    present = set(normal)
    fresh = [tag for tag in added[1] if normalize_tag(tag) not in present]
    return list(dict.fromkeys([*normal, *added[0]])), list(dict.fromkeys([*given, *fresh]))
