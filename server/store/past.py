"""Reading the journal as the window shows it: filtered, with the first changes of each entry, and what has taken it back."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from server.memory.model import JournalEntry, JournalRow
from server.memory.owner.ports import Past, PastEntry
from server.store.database import Connection

CHANGES_SHOWN = 50  # of one entry; a bulk change may have 100 000


def entries(connection: Connection, owner_id: int, wanted: Past) -> list[PastEntry]:
    """Entries, newest first."""
    heads = connection.execute(
        sql.SQL(
            """SELECT j.id, j.at, j.actor_kind, j.actor, j.tool, j.undoes,
                      (SELECT count(*) FROM journal_rows r WHERE r.owner_id = j.owner_id AND r.journal_id = j.id) AS count
                 FROM journal j WHERE {} ORDER BY j.id DESC LIMIT %(limit)s"""
        ).format(_condition(wanted)),
        {
            "owner": owner_id,
            "limit": wanted.limit,
            "before": wanted.before,
            "actor": wanted.actor,
            "tool": wanted.tool,
            "since": wanted.since,
            "memory": wanted.memory_id,
        },
    ).fetchall()
    undone = _undone(connection, owner_id, [head["id"] for head in heads])
    found = {}
    for head in heads:
        count = head.pop("count")
        found[head["id"]] = PastEntry(JournalEntry(**head), count, undone.get(head["id"]))
    rows = connection.execute(
        """SELECT j.id AS journal_id, r.* FROM unnest(%(entries)s::bigint[]) AS j(id), LATERAL (
               SELECT table_name AS "table", row_id, version_before, version_after, before, after FROM journal_rows
                WHERE owner_id = %(owner)s AND journal_id = j.id
                  AND (%(memory)s::bigint IS NULL OR (table_name = 'memories' AND row_id = %(memory)s))
                ORDER BY table_name, row_id LIMIT %(most)s) AS r""",
        {"owner": owner_id, "entries": list(found), "memory": wanted.memory_id, "most": CHANGES_SHOWN},
    )
    for row in rows:
        found[row.pop("journal_id")].entry.rows.append(JournalRow(**row))
    return list(found.values())


def _condition(wanted: Past) -> sql.Composed:
    parts = [sql.SQL("j.owner_id = %(owner)s")]
    if wanted.before is not None:
        parts.append(sql.SQL("j.id < %(before)s"))
    if wanted.actor is not None:
        parts.append(sql.SQL("j.actor = %(actor)s"))
    if wanted.tool is not None:
        parts.append(sql.SQL("j.tool = %(tool)s"))
    if wanted.since is not None:
        parts.append(sql.SQL("j.at >= %(since)s"))
    if wanted.memory_id is not None:
        parts.append(
            sql.SQL(
                "j.id IN (SELECT r.journal_id FROM journal_rows r"
                " WHERE r.owner_id = %(owner)s AND r.table_name = 'memories' AND r.row_id = %(memory)s)"
            )
        )
    return sql.SQL(" AND ").join(parts)


def _undone(connection: Connection, owner_id: int, ids: Sequence[int]) -> dict[int, int]:
    """Which of these entries are taken back, and by which entry: one that is itself taken back does not count."""
    rows = connection.execute(
        """WITH RECURSIVE chain(undone, by) AS (
               SELECT e.undoes, e.id FROM edges e WHERE e.undoes = ANY(%(ids)s)
               UNION SELECT e.undoes, e.id FROM chain c JOIN edges e ON e.undoes = c.by
           ), edges AS (
               SELECT undoes, id FROM journal WHERE owner_id = %(owner)s AND undoes IS NOT NULL
               UNION ALL SELECT undoes, journal_id FROM journal_rollbacks WHERE owner_id = %(owner)s
           ) SELECT undone, by FROM chain ORDER BY by DESC""",
        {"owner": owner_id, "ids": list(ids)},
    ).fetchall()
    holding: dict[int, int] = {}  # newest first: whether an undoing entry holds is known before it is asked for
    for row in rows:
        if row["by"] not in holding:
            holding.setdefault(row["undone"], row["by"])
    return holding
