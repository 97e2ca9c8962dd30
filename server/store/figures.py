"""Figures for charts, what is worth a look, and names in the graph."""

from __future__ import annotations

import re
from typing import Any, LiteralString, cast

from psycopg import sql

from server.memory.owner.ports import Bucket, Day, Reviewed, Statistics, Totals
from server.store import browsing, memories
from server.store.database import Connection
from server.store.memories import LIVE

TAGS_CHARTED = 30
OLD = "365 days"  # since a memory was last confirmed
UNCONFIRMED = "90 days"  # since it was made, where nobody has confirmed it after that
EXPIRING = "14 days"  # until it expires

_FRESHNESS: tuple[tuple[str, LiteralString], ...] = (
    ("week", "age <= interval '7 days'"),
    ("month", "age <= interval '30 days'"),
    ("quarter", "age <= interval '90 days'"),
    ("year", "age <= interval '365 days'"),
    ("older", "age > interval '365 days'"),
    ("never", "age IS NULL"),
)
_LENGTHS: tuple[tuple[str, LiteralString], ...] = (
    ("1-50", "n <= 50"),
    ("51-150", "n <= 150"),
    ("151-500", "n <= 500"),
    ("501-2000", "n <= 2000"),
    ("2001-", "n > 2000"),
)
# An empty store has no moments at all, and a memory that was made long ago need not be old.
_REVIEW = """
SELECT m.id, CASE WHEN m.expires_at <= now() + interval {expiring} THEN 'expiring'
                       WHEN m.last_confirmed_at <= m.created_at + interval '1 minute' THEN 'unconfirmed' ELSE 'old' END AS reason
  FROM memories m
 WHERE m.owner_id = %(owner)s AND {live}
   AND (m.expires_at <= now() + interval {expiring}
        OR coalesce(m.last_confirmed_at, m.created_at) <= now() - interval {old}
        OR (coalesce(m.last_confirmed_at, m.created_at) <= m.created_at + interval '1 minute'
            AND m.created_at <= now() - interval {unconfirmed}))
 ORDER BY m.expires_at <= now() + interval {expiring} DESC NULLS LAST, coalesce(m.last_confirmed_at, m.created_at), m.id LIMIT %(limit)s
"""


def statistics(connection: Connection, owner_id: int) -> Statistics:
    """What the charts show, of live memories."""
    growth = connection.execute(
        sql.SQL(
            "SELECT m.created_at::date AS day, count(*) AS count FROM memories m WHERE m.owner_id = %s AND {} GROUP BY 1 ORDER BY 1"
        ).format(LIVE),
        [owner_id],
    )
    return Statistics(
        growth=[Day(**row) for row in growth],
        tags=browsing.tags(connection, owner_id, TAGS_CHARTED),
        providers=browsing.values(connection, owner_id, "source_provider"),
        freshness=_buckets(connection, owner_id, "now() - m.last_confirmed_at AS age", _FRESHNESS),
        lengths=_buckets(connection, owner_id, "char_length(m.text) AS n", _LENGTHS),
        totals=totals(connection, owner_id),
    )


def _buckets(connection: Connection, owner_id: int, measure: LiteralString, buckets: tuple[tuple[str, LiteralString], ...]) -> list[Bucket]:
    """How many live memories fall into each; the first that fits counts."""
    cases = sql.SQL(" ").join(sql.SQL("WHEN {} THEN {}").format(sql.SQL(condition), sql.Literal(name)) for name, condition in buckets)
    statement = sql.SQL(
        "SELECT CASE {} END AS bucket, count(*) AS count FROM (SELECT {} FROM memories m WHERE m.owner_id = %s AND {}) AS measured"
        " GROUP BY 1"
    ).format(cases, sql.SQL(measure), LIVE)
    counts = {row["bucket"]: row["count"] for row in connection.execute(statement, [owner_id])}
    return [Bucket(name, counts.get(name, 0)) for name, _ in buckets]


def totals(connection: Connection, owner_id: int) -> Totals:
    """Figures of the whole store; average and ages are of what is not deleted."""
    row = connection.execute(
        """SELECT count(*) AS total,
                  count(*) FILTER (WHERE deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS active,
                  count(deleted_at) AS deleted,
                  count(*) FILTER (WHERE deleted_at IS NULL AND expires_at <= now()) AS expired,
                  count(*) FILTER (WHERE deleted_at IS NULL AND keep = 'Y') AS locked,
                  avg(importance) FILTER (WHERE deleted_at IS NULL) AS avg_importance,
                  min(created_at) FILTER (WHERE deleted_at IS NULL) AS oldest_created_at,
                  max(created_at) FILTER (WHERE deleted_at IS NULL) AS newest_created_at
             FROM memories WHERE owner_id = %s""",
        [owner_id],
    ).fetchone()
    return Totals(**cast(dict[str, Any], row))


def review(connection: Connection, owner_id: int, limit: int) -> list[Reviewed]:
    """What expires soon, then what was confirmed longest ago."""
    statement = sql.SQL(_REVIEW).format(
        live=LIVE,
        expiring=sql.Literal(EXPIRING),
        old=sql.Literal(OLD),
        unconfirmed=sql.Literal(UNCONFIRMED),
    )
    found = connection.execute(statement, {"owner": owner_id, "limit": limit}).fetchall()
    rows = memories.get(connection, owner_id, [row["id"] for row in found])
    return [Reviewed(memory, row["reason"]) for memory, row in zip(rows, found, strict=True)]


def entities(connection: Connection, owner_id: int, text: str, limit: int) -> list[str]:
    """Names in the graph that hold a text, whatever its case, most connected first."""
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
    rows = connection.execute(
        """SELECT min(name) AS name FROM (
               SELECT r.subject AS name, r.source_memory_id FROM memory_relations r
                WHERE r.owner_id = %(owner)s AND r.subject ILIKE %(pattern)s
               UNION ALL
               SELECT r.object, r.source_memory_id FROM memory_relations r
                WHERE r.owner_id = %(owner)s AND r.object ILIKE %(pattern)s) AS ends
             JOIN memories m ON m.owner_id = %(owner)s AND m.id = ends.source_memory_id AND m.deleted_at IS NULL
            GROUP BY lower(name) ORDER BY count(*) DESC, lower(name) LIMIT %(limit)s""",
        {"owner": owner_id, "pattern": pattern, "limit": limit},
    )
    return [row["name"] for row in rows]
