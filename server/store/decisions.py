"""What the person has said of pairs of memories."""

from __future__ import annotations

from typing import cast

from server.store.database import Connection


def decided(connection: Connection, owner_id: int) -> set[tuple[int, int]]:
    """Pairs that are decided on, the lower id first."""
    rows = connection.execute("SELECT left_id, right_id FROM pair_decisions WHERE owner_id = %s AND decision IS NOT NULL", [owner_id])
    return {(row["left_id"], row["right_id"]) for row in rows}


def position(connection: Connection, owner_id: int) -> tuple[int, int]:
    """Latest journal entry and number of rows: changes whenever a memory or a decision on pairs has changed."""
    row = connection.execute(
        """SELECT coalesce((SELECT max(id) FROM journal WHERE owner_id = %(owner)s), 0) AS entry,
                  (SELECT count(*) FROM memories WHERE owner_id = %(owner)s AND deleted_at IS NULL) AS rows""",
        {"owner": owner_id},
    ).fetchone()
    return (cast(int, row["entry"]), cast(int, row["rows"])) if row else (0, 0)
