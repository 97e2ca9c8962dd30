"""The past: the journal with filters, undo, and taking back all that one actor has done since a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from server.memory.model import Actor, Conflict, InvalidInput, JournalEntry, Memory, NotFound
from server.memory.owner.base import Outcome, OwnerDomain
from server.memory.owner.ports import OwnerOperation, Past, PastEntry
from server.memory.terms import terms

ENTRIES_AT_ONCE = 500  # of a rollback
MOST_ROLLED_BACK = 10_000


class _Rehearsal(Exception):
    pass


@dataclass(slots=True)
class RolledBack:
    """The entries that a rollback takes back, and a sentence on each that stays."""

    entries: list[int] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)


class History(OwnerDomain):
    """What was done, and taking it back."""

    def past(self, owner_id: int, wanted: Past) -> list[PastEntry]:
        """Journal entries, newest first."""
        return self._rows.past(owner_id, wanted)

    def undo(self, actor: Actor, journal_id: int) -> Outcome:
        """Take one entry back; undoing the new entry redoes it. Raises NotFound, Conflict, StoreError."""
        with self._rows.operation(actor, "undo") as operation:
            entry = operation.entry(journal_id)
            if entry is None:
                raise NotFound("There is no such journal entry.")
            changed = operation.revert(entry)
            rederive(operation, changed, [entry])
        return Outcome([memory.id for memory in changed], journal_id=operation.journal_id)

    def rollback(self, actor: Actor, whose: str, since: datetime, *, dry_run: bool) -> RolledBack:
        """Take back what an actor has done since a moment, newest first, in one operation that can itself be undone.

        An entry stays where somebody else has changed one of its rows afterwards. Raises InvalidInput, StoreError.
        """
        chosen = self._of(actor.owner_id, whose, since)
        result = RolledBack()
        try:
            with self._rows.operation(actor, "rollback") as operation:
                changed: dict[int, Memory] = {}
                taken = [self._take_back(operation, past.entry.id, changed, result) for past in chosen]
                rederive(operation, list(changed.values()), [entry for entry in taken if entry is not None])
                operation.note_undone(result.entries)
                result.outcome.changed = sorted(changed)
                if dry_run:
                    raise _Rehearsal
        except _Rehearsal:
            return result
        result.outcome.journal_id = operation.journal_id
        return result

    @staticmethod
    def _take_back(operation: OwnerOperation, journal_id: int, changed: dict[int, Memory], result: RolledBack) -> JournalEntry | None:
        entry = operation.entry(journal_id)
        if entry is None:
            return None
        try:
            rows = operation.revert_or_leave(entry)
        except Conflict as conflict:
            result.conflicts.append(f"Entry {journal_id} ({entry.tool}): {conflict.message}")
            return None
        changed |= {row.id: row for row in rows}
        result.entries.append(journal_id)
        return entry

    def _of(self, owner_id: int, whose: str, since: datetime) -> list[PastEntry]:
        """The entries of an actor that still hold, newest first."""
        found: list[PastEntry] = []
        before = None
        while page := self._rows.past(owner_id, Past(ENTRIES_AT_ONCE, before, actor=whose, since=since)):
            found += [past for past in page if past.undone_by is None]
            if len(found) > MOST_ROLLED_BACK:
                raise InvalidInput(f"These are more than {MOST_ROLLED_BACK} changes. Choose a later moment, and repeat it.")
            before = page[-1].entry.id
        return found


def rederive(operation: OwnerOperation, changed: Sequence[Memory], entries: Sequence[JournalEntry]) -> None:
    """Make vectors and terms those of the rows as they are after taking entries back; vectors of former texts are still there."""
    undone = [row for entry in entries for row in entry.rows if row.table == "memories"]
    retold = {row.row_id for row in undone if "text" in (row.before or {})}
    moved = {row.row_id for row in undone if row.version_before is None or "deleted_at" in (row.before or {})} - retold
    for memory in changed:
        if memory.id in retold:
            operation.relive_vectors(memory)
            operation.set_terms(memory.id, terms(memory.text), live=memory.deleted_at is None)
    for live in (True, False):
        operation.set_lexical_live_all([row.id for row in changed if row.id in moved and (row.deleted_at is None) == live], live)
