"""The journal: what each operation did to which rows, and taking an entry back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from server.memory.model import Actor, Conflict, JournalEntry, JournalRow
from server.store.database import Connection


def _default(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"the journal cannot hold a {type(value).__name__}")


def as_jsonb(values: dict[str, Any] | None) -> Jsonb | None:
    """Columns of a row as the journal holds them; moments, bytes and UUIDs as Postgres reads them back."""
    return None if values is None else Jsonb(values, dumps=lambda value: json.dumps(value, default=_default, ensure_ascii=False))


class Pending:
    """The rows that one operation has changed so far; several changes of one row become one."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], JournalRow] = {}

    def add(self, row: JournalRow) -> None:
        """Note a change. The first state before and the last one after are what counts."""
        first = self._rows.get((row.table, row.row_id))
        if first is not None:
            after = None if row.after is None else {**(first.after or {}), **row.after}
            # A row that was made in this operation has no state before it.
            before = None if first.version_before is None else {**(row.before or {}), **(first.before or {})}
            row = JournalRow(row.table, row.row_id, first.version_before, row.version_after, before, after)
        self._rows[row.table, row.row_id] = row

    def copy(self) -> Pending:
        """The same so far, for going back to where a part of the operation fails."""
        copied = Pending()
        copied._rows = dict(self._rows)
        return copied

    def write(self, connection: Connection, actor: Actor, tool: str, undoes: int | None) -> int | None:
        """Write the entry and return its id, or None where nothing has changed."""
        if not self._rows:
            return None
        entry = connection.execute(
            "INSERT INTO journal (owner_id, actor_kind, actor, tool, undoes) VALUES (%s, %s, %s, %s, %s) RETURNING id",
            [actor.owner_id, actor.kind, actor.name, tool, undoes],
        ).fetchone()
        journal_id = cast(int, entry["id"]) if entry else 0
        columns = "owner_id, journal_id, table_name, row_id, version_before, version_after, before, after"
        with connection.cursor() as cursor, cursor.copy(f"COPY journal_rows ({columns}) FROM STDIN") as copy:
            for r in self._rows.values():
                before, after = as_jsonb(r.before), as_jsonb(r.after)
                copy.write_row((actor.owner_id, journal_id, r.table, r.row_id, r.version_before, r.version_after, before, after))
        return journal_id


def entries(connection: Connection, owner_id: int, limit: int, before: int | None) -> list[JournalEntry]:
    """Entries with their rows, newest first; only those older than `before` where it is given."""
    heads = connection.execute(
        """SELECT id, at, actor_kind, actor, tool, undoes FROM journal
            WHERE owner_id = %(owner)s AND (%(before)s::bigint IS NULL OR id < %(before)s) ORDER BY id DESC LIMIT %(limit)s""",
        {"owner": owner_id, "before": before, "limit": limit},
    ).fetchall()
    return _with_rows(connection, owner_id, [JournalEntry(**head) for head in heads])


def entry(connection: Connection, owner_id: int, journal_id: int) -> JournalEntry | None:
    """One entry with its rows."""
    head = connection.execute(
        "SELECT id, at, actor_kind, actor, tool, undoes FROM journal WHERE owner_id = %s AND id = %s", [owner_id, journal_id]
    ).fetchone()
    return _with_rows(connection, owner_id, [JournalEntry(**head)])[0] if head else None


def _with_rows(connection: Connection, owner_id: int, heads: Sequence[JournalEntry]) -> list[JournalEntry]:
    by_id = {head.id: head for head in heads}
    rows = connection.execute(
        """SELECT journal_id, table_name AS "table", row_id, version_before, version_after, before, after FROM journal_rows
            WHERE owner_id = %s AND journal_id = ANY(%s) ORDER BY table_name, row_id""",
        [owner_id, list(by_id)],
    ).fetchall()
    for row in rows:
        by_id[row.pop("journal_id")].rows.append(JournalRow(**row))
    return list(heads)


def blank(connection: Connection, owner_id: int, table: str, row_ids: Sequence[int]) -> None:
    """Take the contents of rows out of every entry; that they were changed stays."""
    connection.execute(
        "UPDATE journal_rows SET before = NULL, after = NULL WHERE owner_id = %s AND table_name = %s AND row_id = ANY(%s)",
        [owner_id, table, list(row_ids)],
    )


def revert_rows(connection: Connection, owner_id: int, changes: Sequence[JournalRow]) -> list[JournalRow]:
    """Put rows of one table, changed in the same columns, back as they were; each is returned as a change of its own.

    Raises Conflict where one is no longer as its change left it, naming the entry in the way.
    """
    for change in changes:
        if change.version_after is None or change.before is None or change.after is None:
            raise Conflict(f"Memory {change.row_id} was deleted for good, which cannot be undone.")
    table, columns = sql.Identifier(changes[0].table), sorted(changes[0].before or {})
    query = sql.SQL(
        "UPDATE {} AS t SET ({}, version) = ROW({}, c.version)"
        " FROM unnest(%(ids)s::bigint[], %(versions)s::bigint[], %(expected)s::bigint[], %(before)s::jsonb[])"
        " AS c(id, version, expected, before), jsonb_populate_record(NULL::{}, c.before) AS p"
        " WHERE t.owner_id = %(owner)s AND t.id = c.id AND t.version = c.expected RETURNING t.id"
    ).format(
        table,
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(sql.SQL("p.") + sql.Identifier(name) for name in columns),
        table,
    )
    done = connection.execute(
        query,
        {
            "owner": owner_id,
            "ids": [change.row_id for change in changes],
            "versions": [change.version_before for change in changes],
            "expected": [change.version_after for change in changes],
            "before": [Jsonb(change.before) for change in changes],
        },
    ).fetchall()
    reverted = {row["id"] for row in done}
    for change in changes:
        if change.row_id not in reverted:
            raise Conflict(in_the_way(connection, owner_id, change))
    return [
        JournalRow(change.table, change.row_id, change.version_after, change.version_before, change.after, change.before)
        for change in changes
    ]


def in_the_way(connection: Connection, owner_id: int, change: JournalRow) -> str:
    """The sentence that names the entry which keeps a change from being undone."""
    row = connection.execute(
        """SELECT j.id, j.tool, j.actor FROM journal_rows r JOIN journal j ON j.owner_id = r.owner_id AND j.id = r.journal_id
            WHERE r.owner_id = %s AND r.table_name = %s AND r.row_id = %s ORDER BY j.id DESC LIMIT 1""",
        [owner_id, change.table, change.row_id],
    ).fetchone()
    later = f"entry {row['id']} ({row['tool']} by {row['actor']})" if row else "another change"
    what = "Memory" if change.table == "memories" else "Row"
    return f"{what} {change.row_id} has changed since: {later} is in the way. Undo that one first."
