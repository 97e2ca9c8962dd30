"""The store as the window needs it: see server.memory.owner.ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from server.memory.model import Actor, Conflict, JournalEntry, JournalRow, Memory
from server.memory.owner.ports import Decision, Past, PastEntry, Reviewed, Sidebar, Sorting, Statistics, Totals
from server.memory.query import Query
from server.store import browsing, decisions, figures, journal, memories, past
from server.store.journal import as_jsonb
from server.store.operation import TABLE, MemoryOperation
from server.store.store import PostgresStore

STEP_ROWS = 5_000  # of one statement


class OwnerOperation(MemoryOperation):
    """An operation over very many rows; implements server.memory.owner.ports.OwnerOperation."""

    _undone: Sequence[int] = ()

    def lock_all(self, ids: Sequence[int]) -> list[Memory]:
        """The rows, deleted ones too, locked until the operation ends; in the order of their ids."""
        return memories.get(self._connection, self._actor.owner_id, sorted(set(ids)), lock=True)

    def update_all(self, changes: Sequence[tuple[Memory, Mapping[str, Any]]]) -> None:
        """Change columns other than the text of rows that `lock_all` returned; every change names the same columns."""
        now = datetime.now(UTC)
        for start in range(0, len(changes), STEP_ROWS):
            self._update_step([(before, {**values, "updated_at": now}) for before, values in changes[start : start + STEP_ROWS]])

    def _update_step(self, changes: Sequence[tuple[Memory, Mapping[str, Any]]]) -> None:
        columns = sorted(changes[0][1])
        statement = sql.SQL(
            "UPDATE memories t SET ({}, version) = ROW({}, nextval('row_versions'))"
            " FROM unnest(%(ids)s::bigint[], %(values)s::jsonb[]) AS c(id, changes), jsonb_populate_record(NULL::memories, c.changes) AS p"
            " WHERE t.owner_id = %(owner)s AND t.id = c.id RETURNING t.id, t.version"
        ).format(
            sql.SQL(", ").join(map(sql.Identifier, columns)),
            sql.SQL(", ").join(sql.SQL("p.") + sql.Identifier(name) for name in columns),
        )
        parameters = {
            "owner": self._actor.owner_id,
            "ids": [before.id for before, _ in changes],
            "values": [as_jsonb(dict(values)) for _, values in changes],
        }
        versions = {row["id"]: row["version"] for row in self._connection.execute(statement, parameters)}
        for before, values in changes:
            old = {name: getattr(before, name) for name in columns}
            self._pending.add(JournalRow(TABLE, before.id, before.version, versions[before.id], old, dict(values)))

    def set_lexical_live_all(self, ids: Sequence[int], live: bool) -> None:
        """Take memories into or out of the lexical leg."""
        self._write_derived()
        self._connection.execute(
            "UPDATE memory_lexical SET live = %s WHERE owner_id = %s AND memory_id = ANY(%s)", [live, self._actor.owner_id, list(ids)]
        )

    def erase_all(self, rows: Sequence[Memory]) -> None:
        """Remove rows for good, with their vectors, and blank them in every journal entry."""
        if not rows:
            return
        owner_id, ids = self._actor.owner_id, [row.id for row in rows]
        heirs = sql.SQL(
            "SELECT {} FROM memories m WHERE m.owner_id = %(owner)s AND m.replaced_by_id = ANY(%(ids)s) AND NOT m.id = ANY(%(ids)s)"
            " ORDER BY m.id FOR UPDATE"
        ).format(memories.COLUMNS)
        found = memories.fetch(self._connection, heirs, {"owner": owner_id, "ids": ids})
        self.update_all([(heir, {"replaced_by_id": None}) for heir in found])
        self._connection.execute("DELETE FROM memories WHERE owner_id = %s AND id = ANY(%s)", [owner_id, ids])
        journal.blank(self._connection, owner_id, TABLE, ids)
        for row in rows:
            self._derived.pop(row.id, None)
            self._pending.add(JournalRow(TABLE, row.id, row.version, None, None, None))
        self.erased = True

    def revert_or_leave(self, entry: JournalEntry) -> list[Memory]:
        """As `revert`, but where it raises Conflict nothing of this entry is done, and the operation can go on."""
        kept = self._pending.copy()
        try:
            with self._connection.transaction():
                return self.revert(entry)
        except Conflict:
            self._pending = kept
            raise

    def note_undone(self, journal_ids: Sequence[int]) -> None:
        """Remember that this operation takes back these entries."""
        self._undoes, self._undone = None, list(journal_ids)

    def finish(self) -> None:
        """Write the journal entry in this same transaction."""
        super().finish()
        if self._undone and self.journal_id is not None:
            self._connection.execute(
                "INSERT INTO journal_rollbacks (owner_id, journal_id, undoes) SELECT %s, %s, unnest(%s::bigint[])",
                [self._actor.owner_id, self.journal_id, self._undone],
            )

    def name_search(self, name: str, query: str) -> int:
        """Keep a query under a name, and return its id."""
        return self._set("saved_searches", {"name": name}, "query", query)

    def drop_search(self, search_id: int) -> bool:
        """Forget a kept query; False where there is none."""
        row = self._connection.execute(
            "SELECT name FROM saved_searches WHERE owner_id = %s AND id = %s AND query IS NOT NULL", [self._actor.owner_id, search_id]
        ).fetchone()
        if row is None:
            return False
        self._set("saved_searches", {"name": row["name"]}, "query", None)
        return True

    def decide(self, pairs: Sequence[tuple[int, int]], decision: Decision) -> None:
        """Remember what the person says of pairs, the lower id first."""
        for left, right in sorted(pairs):
            self._set("pair_decisions", {"left_id": left, "right_id": right}, "decision", decision)

    def set_setting(self, name: str, value: object) -> None:
        """Write one setting."""
        self._set("settings", {"name": name}, "value", value)

    def _set(self, table: str, key: Mapping[str, Any], column: str, value: object) -> int:
        """Write one column of the row with this key, which is made in its empty state where it is missing; returns its id."""
        identifier, names = sql.Identifier(table), [sql.Identifier(name) for name in ("owner_id", *key)]
        given = [self._actor.owner_id, *key.values()]
        self._connection.execute(
            sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING").format(
                identifier, sql.SQL(", ").join(names), sql.SQL(", ").join([sql.Placeholder()] * len(given))
            ),
            given,
        )
        same = sql.SQL(" AND ").join(sql.SQL("{} = %s").format(name) for name in names)
        row = self._connection.execute(
            sql.SQL("SELECT id, version, {} AS value FROM {} WHERE {} FOR UPDATE").format(sql.Identifier(column), identifier, same), given
        ).fetchone()
        if row is None:
            raise Conflict("Another program changes the same thing at this very moment. Try again.")
        if row["value"] == value:
            return int(row["id"])
        after = self._connection.execute(
            sql.SQL("UPDATE {} SET {} = %s, version = nextval('row_versions') WHERE {} RETURNING version").format(
                identifier, sql.Identifier(column), same
            ),
            [Jsonb(value) if table == "settings" and value is not None else value, *given],
        ).fetchone()
        version = int(after["version"]) if after else 0
        self._pending.add(JournalRow(table, row["id"], row["version"], version, {column: row["value"]}, {column: value}))
        return int(row["id"])


class PostgresOwnerStore(PostgresStore):
    """Implements server.memory.owner.ports.OwnerStore."""

    @contextmanager
    def operation(self, actor: Actor, tool: str) -> Iterator[OwnerOperation]:
        """The only way to change rows. Commits on leaving, takes everything back on an exception."""
        with self._database.transaction() as connection:
            operation = OwnerOperation(connection, actor, tool, self._model)
            yield operation
            operation.finish()
        self._changed(operation)

    def find(self, owner_id: int, query: Query, sorting: Sorting, conflicts: Sequence[int]) -> list[int]:
        """The ids of all memories that a query means, in order."""
        with self._database.transaction() as connection:
            return browsing.find(connection, owner_id, query, sorting, conflicts)

    def filtered(self, owner_id: int, query: Query, ids: Sequence[int], conflicts: Sequence[int]) -> set[int]:
        """Which of these ids a query means."""
        with self._database.transaction() as connection:
            return browsing.filtered(connection, owner_id, query, ids, conflicts)

    def sidebar(self, owner_id: int) -> Sidebar:
        """Everything beside the table."""
        with self._database.transaction() as connection:
            return browsing.sidebar(connection, owner_id)

    def past(self, owner_id: int, wanted: Past) -> list[PastEntry]:
        """Journal entries, newest first."""
        with self._database.transaction() as connection:
            return past.entries(connection, owner_id, wanted)

    def position(self, owner_id: int) -> tuple[int, int]:
        """Grows whenever a memory or a decision on pairs has changed."""
        with self._database.transaction() as connection:
            return decisions.position(connection, owner_id)

    def decided_pairs(self, owner_id: int) -> set[tuple[int, int]]:
        """Pairs that the person has decided on, the lower id first."""
        with self._database.transaction() as connection:
            return decisions.decided(connection, owner_id)

    def statistics(self, owner_id: int) -> Statistics:
        """What the charts show."""
        with self._database.transaction() as connection:
            return figures.statistics(connection, owner_id)

    def totals(self, owner_id: int) -> Totals:
        """Figures of the whole store."""
        with self._database.transaction() as connection:
            return figures.totals(connection, owner_id)

    def review(self, owner_id: int, limit: int) -> list[Reviewed]:
        """Memories that are worth a look, most pressing first."""
        with self._database.transaction() as connection:
            return figures.review(connection, owner_id, limit)

    def entities(self, owner_id: int, text: str, limit: int) -> list[str]:
        """Names in the graph that hold a text, most connected first."""
        with self._database.transaction() as connection:
            return figures.entities(connection, owner_id, text, limit)

    def settings(self, owner_id: int) -> dict[str, Any]:
        """All settings that were ever set."""
        with self._database.transaction() as connection:
            rows = connection.execute("SELECT name, value FROM settings WHERE owner_id = %s AND value IS NOT NULL", [owner_id])
            return {row["name"]: row["value"] for row in rows}

    def clients(self, owner_id: int) -> int:
        """How many clients the person has let in, besides the command line and the bridge."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT count(*) AS n FROM oauth_clients WHERE owner_id = %s AND kind <> 'builtin' AND approved_at IS NOT NULL", [owner_id]
            ).fetchone()
            return int(row["n"]) if row else 0

    def alive(self, owner_id: int, ids: Sequence[int]) -> set[int]:
        """Those of `ids` that are live memories."""
        statement = sql.SQL("SELECT m.id FROM memories m WHERE m.owner_id = %s AND m.id = ANY(%s) AND {}").format(memories.LIVE)
        with self._database.transaction() as connection:
            return {row["id"] for row in connection.execute(statement, [owner_id, list(ids)])}
