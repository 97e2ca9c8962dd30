"""The journal as a stream of events, in an order in which none is ever missed, with any number of servers on one database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from server.store.database import Connection

AT_ONCE = 200
IDS_TOLD = 100

# Entries of transactions that began later than one that still runs wait for it: else they would hide its own.
_AFTER = """
SELECT j.xid::text AS xid, j.id, j.actor, j.tool,
       (SELECT array_agg(DISTINCT r.table_name) FROM journal_rows r WHERE r.owner_id = j.owner_id AND r.journal_id = j.id) AS tables,
       (SELECT array_agg(row_id) FROM (SELECT r.row_id FROM journal_rows r WHERE r.owner_id = j.owner_id AND r.journal_id = j.id
           AND r.table_name = 'memories' ORDER BY r.row_id LIMIT %(ids)s) AS first) AS ids
  FROM journal j
 WHERE j.owner_id = %(owner)s AND j.xid < pg_snapshot_xmin(pg_current_snapshot()) AND (j.xid, j.id) > (%(xid)s::xid8, %(id)s)
 ORDER BY j.xid, j.id LIMIT %(limit)s
"""
KINDS = {"memories": "memories", "saved_searches": "searches", "pair_decisions": "decisions", "settings": "settings"}


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the stream: after this entry."""

    xid: int
    id: int


@dataclass(frozen=True, slots=True)
class Happening:
    """One entry, by what it changed."""

    position: Position
    kinds: Sequence[str]
    tool: str
    actor: str
    ids: Sequence[int]


class JournalEvents:
    """Implements server.web.api.events.EventSource for one owner."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]], owner_id: int) -> None:
        self._transaction = transaction
        self._owner_id = owner_id

    def now(self) -> Position:
        """The place before all that is not committed yet."""
        with self._transaction() as connection:
            row = connection.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid").fetchone()
        return Position(int(row["xid"]) if row else 0, 0)

    def after(self, position: Position) -> list[Happening]:
        """The next happenings, in order; at most AT_ONCE."""
        with self._transaction() as connection:
            rows = connection.execute(
                _AFTER,
                {"owner": self._owner_id, "xid": str(position.xid), "id": position.id, "limit": AT_ONCE, "ids": IDS_TOLD},
            ).fetchall()
        return [
            Happening(
                Position(int(row["xid"]), row["id"]),
                sorted({KINDS.get(table, table) for table in row["tables"] or ()}),
                row["tool"],
                row["actor"],
                row["ids"] or [],
            )
            for row in rows
        ]
