"""Rows that come back from a file: which are there already, which ids are free, and putting them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, LiteralString

from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from server.memory.model import Known, Memory, Record, exact_key
from server.store import memories
from server.store.database import Connection

_BY_UUID = """
SELECT w.n, m.id, m.deleted_at IS NOT NULL AS deleted FROM unnest(%(n)s::integer[], %(uuids)s::uuid[]) AS w(n, uuid)
  JOIN memories m ON m.owner_id = %(owner)s AND m.uuid = w.uuid
"""
_LIVE_BY_TEXT = """
SELECT w.n, m.id, false AS deleted FROM unnest(%(n)s::integer[], %(namespaces)s::text[], %(keys)s::bytea[]) AS w(n, namespace, key)
  JOIN memories m ON m.owner_id = %(owner)s AND m.namespace = w.namespace AND m.text_key = w.key AND m.deleted_at IS NULL
"""
# Several tombstones of one text are normal; where there is no UUID, the same moment makes the same one.
_TOMBSTONE_BY_TEXT = """
SELECT w.n, m.id, true AS deleted
  FROM unnest(%(n)s::integer[], %(namespaces)s::text[], %(keys)s::bytea[], %(deleted)s::timestamptz[]) AS w(n, namespace, key, deleted_at)
  JOIN memories m ON m.owner_id = %(owner)s AND m.namespace = w.namespace AND m.text_key = w.key AND m.deleted_at = w.deleted_at
"""


def find_known(connection: Connection, owner_id: int, records: Sequence[Record]) -> list[Known | None]:
    """For each record the row that is the same memory: by UUID, else by text."""
    found: list[Known | None] = [None] * len(records)
    ways: tuple[tuple[LiteralString, Callable[[Record], bool]], ...] = (
        (_BY_UUID, lambda record: record.uuid is not None),
        (_LIVE_BY_TEXT, lambda record: record.deleted_at is None),
        (_TOMBSTONE_BY_TEXT, lambda record: record.deleted_at is not None and record.uuid is None),
    )
    for query, meant in ways:
        wanted = [(n, record) for n, record in enumerate(records) if found[n] is None and meant(record)]
        if not wanted:
            continue
        parameters = {
            "owner": owner_id,
            "n": [n for n, _ in wanted],
            "uuids": [record.uuid for _, record in wanted],
            "namespaces": [record.namespace for _, record in wanted],
            "keys": [exact_key(record.text) for _, record in wanted],
            "deleted": [record.deleted_at for _, record in wanted],
        }
        for row in connection.execute(query, parameters):
            found[row["n"]] = Known(row["id"], row["deleted"])
    return found


def free_ids(connection: Connection, owner_id: int, ids: Sequence[int]) -> set[int]:
    """Those of `ids` that no memory has, and none that was deleted for good had."""
    rows = connection.execute(
        """SELECT w.id FROM unnest(%(ids)s::bigint[]) AS w(id)
            WHERE NOT EXISTS (SELECT FROM memories m WHERE m.owner_id = %(owner)s AND m.id = w.id)
              AND NOT EXISTS (SELECT FROM journal_rows r
                               WHERE r.owner_id = %(owner)s AND r.table_name = 'memories' AND r.row_id = w.id)""",
        {"owner": owner_id, "ids": list(ids)},
    ).fetchall()
    return {row["id"] for row in rows}


def reserve_ids(connection: Connection, highest: int) -> None:
    """Move the sequence of ids beyond `highest`. When the transaction has ended, nobody is about to use a lower one."""
    row = connection.execute("SELECT last_value, is_called FROM memories_id_seq").fetchone()
    if row is None or not row["is_called"] or row["last_value"] < highest:
        connection.execute("SELECT setval('memories_id_seq', greatest(%s, nextval('memories_id_seq')))", [highest])
    # A writer that has drawn an id and not yet stored its row holds a lock that this one waits for.
    connection.execute("LOCK TABLE memories IN SHARE ROW EXCLUSIVE MODE")


def restore(connection: Connection, owner_id: int, record: Record, memory_id: int | None, text_key: bytes) -> Memory | None:
    """The new row, with this id or the next one; None where id, UUID or text is taken. It replaces nothing yet."""
    values: dict[str, Any] = {
        **asdict(record),
        "owner_id": owner_id,
        "id": memory_id,
        "text_key": text_key,
        "tags": list(record.tags),
        "tags_given": list(record.tags_given),
        "metadata": Jsonb(record.metadata),
        "replaced_by_id": None,
    }
    given = {name: value for name, value in values.items() if value is not None}
    query = sql.SQL("INSERT INTO memories ({}) VALUES ({}) ON CONFLICT DO NOTHING RETURNING {}").format(
        sql.SQL(", ").join(map(sql.Identifier, given)),
        sql.SQL(", ").join(map(sql.Placeholder, given)),
        sql.SQL(", ").join(map(sql.Identifier, memories.NAMES)),
    )
    with connection.cursor(row_factory=class_row(Memory)) as cursor:
        return cursor.execute(query, given).fetchone()
