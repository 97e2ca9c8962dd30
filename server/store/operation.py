"""One transaction of changes to memories; see server.memory.ports.Operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from server.memory.model import Actor, Conflict, Draft, InvalidInput, JournalEntry, JournalRow, Known, Memory, Record, exact_key
from server.memory.ports import LexicalTerms, Vectors
from server.store import derived, journal, memories, restoring
from server.store.database import Connection
from server.store.derived import ModelRow

TABLE = "memories"
MADE = ("",)  # stands for the columns of a row that was made
REVERTED_AT_ONCE = 5_000
RETURNED = sql.SQL(", ").join(map(sql.Identifier, memories.NAMES))
DRAFTED = [field.name for field in fields(Draft)]
_INSERTED = [*DRAFTED, "owner_id", "text_key", "salience", "created_at", "updated_at"]
INSERT = sql.SQL(
    "INSERT INTO memories ({}) VALUES ({}) ON CONFLICT (owner_id, namespace, text_key) WHERE deleted_at IS NULL DO NOTHING RETURNING {}"
).format(sql.SQL(", ").join(map(sql.Identifier, _INSERTED)), sql.SQL(", ").join(map(sql.Placeholder, _INSERTED)), RETURNED)


class MemoryOperation:
    """Changes rows and notes each change; `finish` writes the journal entry."""

    def __init__(self, connection: Connection, actor: Actor, tool: str, model: ModelRow | None) -> None:
        self._connection = connection
        self._actor = actor
        self._tool = tool
        self._model = model
        self._pending = journal.Pending()
        self._derived: dict[int, tuple[str, Vectors, LexicalTerms]] = {}  # written together: a batch has hundreds
        self._undoes: int | None = None
        self.erased = False
        self.journal_id: int | None = None

    def finish(self) -> None:
        """Write what is derived and the journal entry in this same transaction."""
        self._write_derived()
        self.journal_id = self._pending.write(self._connection, self._actor, self._tool, self._undoes)

    def find_exact(self, namespace: str, text_key: bytes) -> int | None:
        """The id of the live memory with this normalised text."""
        return memories.find_exact(self._connection, self._actor.owner_id, [(namespace, text_key)]).get((namespace, text_key))

    def get(self, memory_id: int) -> Memory | None:
        """The row, locked against other writers until the operation ends."""
        rows = memories.get(self._connection, self._actor.owner_id, [memory_id], lock=True)
        return rows[0] if rows else None

    def lock(self, memory_ids: Sequence[int]) -> None:
        """Keep other writers off these rows until the operation ends; in one order, so that two never wait for each other."""
        memories.get(self._connection, self._actor.owner_id, memory_ids, lock=True)

    def take_turn(self) -> None:
        """Wait until no other operation that has taken its turn is under way.

        Two that insert the same texts in different orders would wait for each other at the unique index.
        """
        self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('ownsona insertions', %s))", [self._actor.owner_id])

    def insert(self, draft: Draft, text_key: bytes) -> Memory | None:
        """The new row, or None where a live memory with the same normalised text exists."""
        now = datetime.now(UTC)
        values = {
            **{name: getattr(draft, name) for name in DRAFTED},
            "owner_id": self._actor.owner_id,
            "text_key": text_key,
            "tags": list(draft.tags),
            "tags_given": list(draft.tags_given),
            "salience": draft.importance,
            "created_at": now,
            "updated_at": now,
            "last_confirmed_at": draft.last_confirmed_at or now,
        }
        with self._connection.cursor(row_factory=class_row(Memory)) as cursor:
            made = cursor.execute(INSERT, values).fetchone()
        if made is not None:
            self._note_new(made)
        return made

    def restore(self, record: Record, memory_id: int | None, text_key: bytes) -> Memory | None:
        """A row that was exported, with this id or the next one; None where id, UUID or text is taken."""
        made = restoring.restore(self._connection, self._actor.owner_id, record, memory_id, text_key)
        if made is not None:
            self._note_new(made)
        return made

    def _note_new(self, made: Memory) -> None:
        row = {name: getattr(made, name) for name in memories.NAMES}
        self._pending.add(JournalRow(TABLE, made.id, None, made.version, None, row))

    def find_known(self, records: Sequence[Record]) -> list[Known | None]:
        """For each record the row that is the same memory. Until the operation ends, no other import of this owner adds one."""
        self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('ownsona import', %s))", [self._actor.owner_id])
        return restoring.find_known(self._connection, self._actor.owner_id, records)

    def update(self, before: Memory, changes: Mapping[str, Any]) -> Memory:
        """Change columns of a row that `get` returned in this operation. `updated_at` becomes now, unless `changes` say another moment.

        Raises InvalidInput where another one has that text.
        """
        values = dict(changes)
        old = {name: getattr(before, name) for name in values}
        if "text" in values:
            values["text_key"], old["text_key"] = exact_key(values["text"]), exact_key(before.text)
        values.setdefault("updated_at", datetime.now(UTC))
        old["updated_at"] = before.updated_at
        query = sql.SQL(
            "UPDATE memories SET {}, version = nextval('row_versions') WHERE owner_id = %(owner_id)s AND id = %(id)s RETURNING {}"
        ).format(
            sql.SQL(", ").join(sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in values),
            RETURNED,
        )
        try:
            with self._connection.transaction(), self._connection.cursor(row_factory=class_row(Memory)) as cursor:
                after = cursor.execute(query, {**values, "owner_id": before.owner_id, "id": before.id}).fetchone()
        except psycopg.errors.UniqueViolation:
            raise InvalidInput("Another memory already says exactly this. Forget one of the two instead.") from None
        if after is None:
            raise Conflict(f"Memory {before.id} is gone.")
        if after.text != before.text:
            after = replace(after, relations_extracted=False)
            self._forget_relations([before.id])
        self._pending.add(JournalRow(TABLE, before.id, before.version, after.version, old, values))
        return after

    def learn_context(self, memory: Memory, query: Vectors) -> Memory:
        """Move the learned context of a row towards a query's vector. The journal names contexts by their ids."""
        if self._model is None:
            return memory
        context_id, first = derived.learn_context(self._connection, self._model, memory, query)
        return self.update(memory, {"context_id": context_id, "context_count": 1 if first else memory.context_count + 1})

    def set_derived(self, memory_id: int, text: str, vectors: Vectors, terms: LexicalTerms) -> None:
        """Make these the live vectors and terms of a memory when the operation ends."""
        self._derived[memory_id] = text, vectors, terms

    def _write_derived(self) -> None:
        if not self._derived:
            return
        owner_id, made = self._actor.owner_id, self._derived
        if self._model is not None:
            vectors = [(one, text, vectors) for one, (text, vectors, _) in made.items()]
            derived.set_vectors(self._connection, owner_id, self._model, vectors)
        derived.set_lexical(self._connection, owner_id, [(one, terms, True) for one, (_, _, terms) in made.items()])
        self._derived = {}

    def set_terms(self, memory_id: int, terms: LexicalTerms, *, live: bool) -> None:
        """Make these the terms of a memory, in or out of the lexical leg."""
        self._write_derived()
        derived.set_lexical(self._connection, self._actor.owner_id, [(memory_id, terms, live)])

    def set_lexical_live(self, memory_id: int, live: bool) -> None:
        """Take a memory into or out of the lexical leg when it is restored or deleted."""
        self._write_derived()
        self._connection.execute(
            "UPDATE memory_lexical SET live = %s WHERE owner_id = %s AND memory_id = %s", [live, self._actor.owner_id, memory_id]
        )

    def replaced_by(self, memory_id: int) -> list[Memory]:
        """The tombstones that name this memory as their successor, locked."""
        query = sql.SQL(
            "SELECT {} FROM memories m WHERE m.owner_id = %(owner)s AND m.replaced_by_id = %(id)s ORDER BY m.id FOR UPDATE"
        ).format(memories.COLUMNS)
        return memories.fetch(self._connection, query, {"owner": self._actor.owner_id, "id": memory_id})

    def erase(self, memory: Memory) -> None:
        """Remove a row for good, with its vectors, and blank it in every journal entry."""
        owner_id = self._actor.owner_id
        self._derived.pop(memory.id, None)
        self._connection.execute("DELETE FROM memories WHERE owner_id = %s AND id = %s", [owner_id, memory.id])
        journal.blank(self._connection, owner_id, TABLE, [memory.id])
        self._pending.add(JournalRow(TABLE, memory.id, memory.version, None, None, None))
        self.erased = True

    def entry(self, journal_id: int) -> JournalEntry | None:
        """An entry of the past, for undoing it."""
        return journal.entry(self._connection, self._actor.owner_id, journal_id)

    def revert(self, entry: JournalEntry) -> list[Memory]:
        """Put the rows that an entry changed back as they were, and return them by id. Raises Conflict where one has changed since.

        A row that the entry made becomes a tombstone: ids are never reused, and undoing the undo brings it back.
        """
        self._undoes = entry.id
        changed: list[Memory] = []
        for (_, table, columns), group in groupby(sorted(entry.rows, key=_turn), key=_turn):
            changes = list(group)
            if columns == MADE:
                changed += [self._take_back(change) for change in changes]
                continue
            for start in range(0, len(changes), REVERTED_AT_ONCE):
                step = changes[start : start + REVERTED_AT_ONCE]
                self._put_back(step)
                if table != TABLE:
                    continue
                ids = [change.row_id for change in step]
                if "text" in columns:
                    self._forget_relations(ids)
                changed += memories.get(self._connection, self._actor.owner_id, ids)
        return sorted(changed, key=lambda memory: memory.id)

    def _put_back(self, changes: Sequence[JournalRow]) -> None:
        try:
            with self._connection.transaction():
                reverted = journal.revert_rows(self._connection, self._actor.owner_id, changes)
        except psycopg.errors.UniqueViolation:
            raise Conflict("Another memory says exactly the same by now. Forget that one first.") from None
        for change in reverted:
            self._pending.add(change)

    def relive_vectors(self, memory: Memory) -> None:
        """Make the waiting vectors of this memory's present text the live ones."""
        self._write_derived()
        derived.relive_vectors(self._connection, memory.owner_id, [(memory.id, memory.text)])

    def _forget_relations(self, memory_ids: Sequence[int]) -> None:
        """The graph is read out of the text again. Like all that is derived, it is no part of the journal."""
        keys = [self._actor.owner_id, list(memory_ids)]
        self._connection.execute("DELETE FROM memory_relations WHERE owner_id = %s AND source_memory_id = ANY(%s)", keys)
        self._connection.execute("UPDATE memories SET relations_extracted = false WHERE owner_id = %s AND id = ANY(%s)", keys)

    def _take_back(self, change: JournalRow) -> Memory:
        made = self.get(change.row_id)
        if made is None or made.version != change.version_after:
            raise Conflict(journal.in_the_way(self._connection, self._actor.owner_id, change))
        gone = {"deleted_at": datetime.now(UTC), "deleted_by": self._actor.kind, "forget_reason": "Undone"}
        return self.update(made, gone)


def _turn(change: JournalRow) -> tuple[int, str, tuple[str, ...]]:
    """When a row of an entry has its turn, and with which others: its table and its changed columns.

    What goes leaves its text to what changes, and that to what comes back.
    """
    if change.version_before is None:
        return 0, change.table, MADE
    before, after = change.before or {}, change.after or {}
    columns = tuple(sorted(before))
    if before.get("deleted_at") is not None and after.get("deleted_at") is None:
        return 0, change.table, columns
    return 2 if before.get("deleted_at", True) is None and after.get("deleted_at") is not None else 1, change.table, columns
