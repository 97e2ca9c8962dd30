"""Reading rows of `memories`: one, many, lists, counts and figures."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import fields
from typing import Any, cast

from psycopg import sql
from psycopg.rows import class_row

from server.memory.model import MAX_ID, Filter, Memory, Stats
from server.store.database import Connection

NAMES = [field.name for field in fields(Memory)]
COLUMNS = sql.SQL(", ").join(sql.SQL("m.") + sql.Identifier(name) for name in NAMES)
LIVE = sql.SQL("m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > now())")
TOP_TAGS = 20


def fetch(connection: Connection, query: sql.Composed, parameters: dict[str, Any]) -> list[Memory]:
    """Rows of a query that selects COLUMNS."""
    with connection.cursor(row_factory=class_row(Memory)) as cursor:
        return cursor.execute(query, parameters).fetchall()


def get(connection: Connection, owner_id: int, ids: Sequence[int], *, lock: bool = False) -> list[Memory]:
    """Rows by id, in the order of `ids`; unknown ones are left out. `lock` keeps other writers off until the transaction ends."""
    query = sql.SQL("SELECT {} FROM memories m WHERE m.owner_id = %(owner)s AND m.id = ANY(%(ids)s) ORDER BY m.id {}").format(
        COLUMNS, sql.SQL("FOR UPDATE" if lock else "")
    )
    rows = {row.id: row for row in fetch(connection, query, {"owner": owner_id, "ids": [one for one in ids if 0 < one <= MAX_ID]})}
    return [rows[one] for one in ids if one in rows]


def find_exact(connection: Connection, owner_id: int, keys: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], int]:
    """The ids of live memories with these normalised texts: (namespace, text_key)."""
    rows = connection.execute(
        """SELECT m.namespace, m.text_key, m.id FROM unnest(%s::text[], %s::bytea[]) AS wanted(namespace, text_key)
             JOIN memories m USING (namespace, text_key) WHERE m.owner_id = %s AND m.deleted_at IS NULL""",
        [[namespace for namespace, _ in keys], [key for _, key in keys], owner_id],
    ).fetchall()
    return {(row["namespace"], row["text_key"]): row["id"] for row in rows}


def everything(connection: Connection, owner_id: int, *, include_deleted: bool) -> Generator[Memory]:
    """Every row, oldest first, read as it is consumed."""
    query = sql.SQL("SELECT {} FROM memories m WHERE {} ORDER BY m.created_at, m.id").format(
        COLUMNS, condition(Filter(include_deleted=include_deleted))
    )
    with connection.cursor(name="everything", row_factory=class_row(Memory)) as cursor:
        yield from cursor.execute(query, {"owner": owner_id})


def text_search(connection: Connection, owner_id: int, text: str, limit: int) -> list[Memory]:
    """Live rows that hold a piece of text, whatever its case, newest first."""
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
    query = sql.SQL(
        "SELECT {} FROM memories m WHERE m.owner_id = %(owner)s AND {} AND m.text ILIKE %(pattern)s"
        " ORDER BY m.created_at DESC, m.id DESC LIMIT %(limit)s"
    ).format(COLUMNS, LIVE)
    return fetch(connection, query, {"owner": owner_id, "pattern": pattern, "limit": limit})


def tags(connection: Connection, owner_id: int, limit: int, *, include_deleted: bool) -> list[tuple[str, int]]:
    """Each tag with the number of rows that carry it, most used first, then by name."""
    query = sql.SQL(
        "SELECT tag, count(*) AS n FROM memories m, unnest(m.tags) AS tag WHERE {} GROUP BY tag ORDER BY n DESC, tag LIMIT %(limit)s"
    ).format(condition(Filter(include_deleted=include_deleted)))
    return [(row["tag"], row["n"]) for row in connection.execute(query, {"owner": owner_id, "limit": limit})]


def condition(wanted: Filter) -> sql.Composed:
    """The WHERE clause of a filter; its parameters are the filter's own fields."""
    parts: list[sql.Composable] = [sql.SQL("m.owner_id = %(owner)s")]
    if not wanted.include_deleted:
        parts.append(LIVE)
    if wanted.untagged_only:
        parts.append(sql.SQL("m.tags = '{{}}'"))
    if wanted.min_chars is not None:
        parts.append(sql.SQL("char_length(m.text) >= %(min_chars)s"))
    if wanted.max_chars is not None:
        parts.append(sql.SQL("char_length(m.text) <= %(max_chars)s"))
    if wanted.not_confirmed_since is not None:
        parts.append(sql.SQL("(m.last_confirmed_at IS NULL OR m.last_confirmed_at < %(not_confirmed_since)s)"))
    if wanted.tags:
        parts.append(sql.SQL("m.tags && %(tags)s"))
    if wanted.source_provider is not None:
        parts.append(sql.SQL("m.source_provider = %(source_provider)s"))
    return sql.SQL(" AND ").join(parts)


def _parameters(owner_id: int, wanted: Filter) -> dict[str, Any]:
    return {
        "owner": owner_id,
        "min_chars": wanted.min_chars,
        "max_chars": wanted.max_chars,
        "not_confirmed_since": wanted.not_confirmed_since,
        "tags": list(wanted.tags),
        "source_provider": wanted.source_provider,
    }


def listing(connection: Connection, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
    """Rows that a filter means, newest first."""
    query = sql.SQL("SELECT {} FROM memories m WHERE {} ORDER BY m.created_at DESC, m.id DESC LIMIT %(limit)s OFFSET %(offset)s").format(
        COLUMNS, condition(wanted)
    )
    return fetch(connection, query, {**_parameters(owner_id, wanted), "limit": limit, "offset": offset})


def count(connection: Connection, owner_id: int, wanted: Filter) -> int:
    """How many rows a filter means."""
    query = sql.SQL("SELECT count(*) AS n FROM memories m WHERE {}").format(condition(wanted))
    row = connection.execute(query, _parameters(owner_id, wanted)).fetchone()
    return cast(int, row["n"]) if row else 0


def stats(connection: Connection, owner_id: int) -> Stats:
    """Figures of the whole store. `expired` counts rows that are past their date and not deleted."""
    figures = cast(
        dict[str, Any],
        connection.execute(
            """SELECT count(*) AS total,
                      count(*) FILTER (WHERE deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS active,
                      count(deleted_at) AS soft_deleted,
                      count(*) FILTER (WHERE deleted_at IS NULL AND expires_at <= now()) AS expired,
                      avg(importance) FILTER (WHERE deleted_at IS NULL) AS avg_importance,
                      min(created_at) FILTER (WHERE deleted_at IS NULL) AS oldest_created_at,
                      max(created_at) FILTER (WHERE deleted_at IS NULL) AS newest_created_at
                 FROM memories WHERE owner_id = %s""",
            [owner_id],
        ).fetchone(),
    )
    providers = connection.execute(
        """SELECT source_provider AS provider, count(*) AS n FROM memories
            WHERE owner_id = %s AND deleted_at IS NULL GROUP BY provider ORDER BY n DESC, provider NULLS LAST""",
        [owner_id],
    ).fetchall()
    return Stats(
        **figures,
        top_tags=tags(connection, owner_id, TOP_TAGS, include_deleted=False),
        by_provider=[(row["provider"], row["n"]) for row in providers],
    )
