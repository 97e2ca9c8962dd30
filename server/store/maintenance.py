"""Derived data kept fresh: document frequencies, the vector index, vectors of a new model, and pages of erased rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import psutil
from psycopg import sql

from server.memory.ports import LexicalTerms, Vectors
from server.store import derived, memories
from server.store.database import Connection, Database
from server.store.derived import ModelRow

RECOUNT_SHARE = 0.05  # of the documents must have changed
LENGTH_DRIFT = 0.25
INDEX_FROM = 2_000  # vectors; below this the exact scan is as fast and finds everything
INDEX_BYTES_A_ROW = 1536  # of maintenance_work_mem, so that the graph is built in memory
REWEIGH_ROWS = 2_000  # in one transaction
REWRITTEN = ("memories", "journal_rows", "memory_relations")  # the tables that hold texts
REWRITE_WAIT_MS = 2_000  # for a table that others use: they would queue behind us

_DUE = """
SELECT (SELECT count(*) FROM memory_lexical WHERE owner_id = %(owner)s AND live) AS documents,
       (SELECT documents FROM lexical_counts WHERE owner_id = %(owner)s) AS counted,
       (SELECT count(*) FROM memories WHERE owner_id = %(owner)s
           AND version > (SELECT changed FROM lexical_counts WHERE owner_id = %(owner)s)) AS changed
"""
_RECOUNT = """
WITH fresh AS (
    SELECT term, count(*)::integer AS df FROM memory_lexical l, unnest(l.terms) AS term
     WHERE l.owner_id = %(owner)s AND l.live GROUP BY term
), gone AS (
    DELETE FROM lexical_terms t WHERE t.owner_id = %(owner)s AND NOT EXISTS (SELECT FROM fresh f WHERE f.term = t.term)
)
INSERT INTO lexical_terms (owner_id, term, df) SELECT %(owner)s, term, df FROM fresh ORDER BY term
    ON CONFLICT (owner_id, term) DO UPDATE SET df = excluded.df WHERE lexical_terms.df <> excluded.df
"""
_COUNTS = """
INSERT INTO lexical_counts (owner_id, documents, average_length, changed)
SELECT %(owner)s, count(*) FILTER (WHERE live), %(average)s, (SELECT coalesce(max(version), 0) FROM memories WHERE owner_id = %(owner)s)
  FROM memory_lexical WHERE owner_id = %(owner)s
    ON CONFLICT (owner_id) DO UPDATE
       SET documents = excluded.documents, average_length = excluded.average_length, changed = excluded.changed
"""


def recount(database: Database, owner_id: int) -> bool:
    """Count again in how many memories each term stands, where enough has changed since the last time."""
    with database.transaction() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('ownsona lexical', %s))", [owner_id])
        due = connection.execute(_DUE, {"owner": owner_id}).fetchone()
        if due is None:
            return False
        moved = max(due["changed"] or 0, abs(due["documents"] - (due["counted"] or 0)))
        if moved <= RECOUNT_SHARE * due["documents"]:
            return False
        connection.execute(_RECOUNT, {"owner": owner_id})
        average = _reweigh(connection, owner_id)
        connection.execute(_COUNTS, {"owner": owner_id, "average": average})
        return True


def _reweigh(connection: Connection, owner_id: int) -> float:
    """Make every w again where the mean length has drifted; returns the length that they are made with."""
    used = derived.average_length(connection, owner_id)
    row = connection.execute(
        "SELECT avg(length)::double precision AS mean FROM memory_lexical WHERE owner_id = %s AND live", [owner_id]
    ).fetchone()
    mean = cast("float | None", row["mean"]) if row else None
    if mean is None or abs(mean - used) <= LENGTH_DRIFT * used:
        return used
    connection.execute(
        "INSERT INTO lexical_counts (owner_id, documents, average_length) VALUES (%s, 0, %s)"
        " ON CONFLICT (owner_id) DO UPDATE SET average_length = excluded.average_length",
        [owner_id, mean],
    )
    with connection.cursor(name="reweigh") as cursor:
        cursor.itersize = REWEIGH_ROWS
        cursor.execute("SELECT memory_id, live, length, w FROM memory_lexical WHERE owner_id = %s", [owner_id])
        while rows := cursor.fetchmany(REWEIGH_ROWS):
            derived.set_lexical(
                connection,
                owner_id,
                [(r["memory_id"], LexicalTerms(derived.frequencies(r["w"], r["length"], used), r["length"]), r["live"]) for r in rows],
            )
    return mean


def index_name(model: ModelRow) -> str:
    """The name of the vector index of one model generation."""
    return f"memory_vectors_hnsw_{model.id}"


def build_index(database: Database, owner_id: int, model: ModelRow) -> bool:
    """Make the HNSW index where there are vectors enough and it is missing. Readers and writers go on meanwhile."""
    name = index_name(model)
    with database.autocommit() as connection:
        locked = connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0)) AS got", [name]).fetchone()
        if not locked or not locked["got"]:  # another server is at it; the lock goes with the connection
            return False
        found = connection.execute(
            "SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = %s", [name]
        ).fetchone()
        if found and found["valid"]:
            return False
        row = connection.execute(
            "SELECT count(*) AS n FROM memory_vectors WHERE owner_id = %s AND model_id = %s AND sector = 0 AND live", [owner_id, model.id]
        ).fetchone()
        rows = cast(int, row["n"]) if row else 0
        if rows < INDEX_FROM:
            return False
        if found:  # a build that was interrupted
            connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))
        memory = max(64, min(rows * INDEX_BYTES_A_ROW, psutil.virtual_memory().available // 4) // 2**20)
        connection.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{memory}MB"])
        connection.execute("SET max_parallel_maintenance_workers = 0")  # parallel builds need as much shared memory, which containers lack
        connection.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {} ON memory_vectors USING hnsw ((embedding::halfvec({})) halfvec_cosine_ops)"
                " WHERE model_id = {} AND sector = 0 AND live"
            ).format(sql.Identifier(name), sql.Literal(model.dimension), sql.Literal(model.id))
        )
        connection.execute("ANALYZE memory_vectors")
        return True


def without_vectors(database: Database, owner_id: int, model: ModelRow, limit: int) -> list[tuple[int, str]]:
    """Id and text of memories that have no live vectors of this model: after a change of model, or an undo long afterwards."""
    with database.transaction() as connection:
        rows = connection.execute(
            """SELECT m.id, m.text FROM memories m WHERE m.owner_id = %(owner)s AND NOT EXISTS (
                      SELECT FROM memory_vectors v WHERE v.owner_id = m.owner_id AND v.memory_id = m.id AND v.model_id = %(model)s
                         AND v.sector = 0 AND v.live) ORDER BY m.deleted_at IS NOT NULL, m.id DESC LIMIT %(limit)s""",
            {"owner": owner_id, "model": model.id, "limit": limit},
        ).fetchall()
        return [(row["id"], row["text"]) for row in rows]


def add_vectors(database: Database, owner_id: int, model: ModelRow, made: Sequence[tuple[int, str, Vectors]]) -> None:
    """Store vectors for texts; a memory whose text has changed meanwhile is left for the next round."""
    with database.transaction() as connection:
        present = {row.id: row.text for row in memories.get(connection, owner_id, [one for one, _, _ in made], lock=True)}
        derived.set_vectors(connection, owner_id, model, [one for one in made if present.get(one[0]) == one[1]])


def vacuum(database: Database) -> None:
    """Take what was deleted for good out of the files of tables and indexes. Raises StoreError where somebody keeps a table busy.

    A plain VACUUM leaves a row's bytes in the free space of its page, and its words in GIN indexes for good. So what holds texts is
    written anew; nobody else can use such a table meanwhile. The write-ahead log keeps texts until its segment is used again.
    """
    with database.autocommit() as connection:
        connection.execute("VACUUM memory_vectors, memory_lexical, memory_contexts")
        connection.execute(sql.SQL("SET lock_timeout = {}").format(sql.Literal(REWRITE_WAIT_MS)))
        for table in REWRITTEN:
            connection.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(table)))
