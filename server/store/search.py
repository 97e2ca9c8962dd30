"""The two legs of recall in one statement, and the look for similar memories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pgvector import HalfVector
from psycopg import sql

from server.memory.ports import Candidate, LexicalTerms, Vectors
from server.memory.storing import coverage
from server.store import derived
from server.store.database import Connection
from server.store.derived import ModelRow
from server.store.memories import LIVE

RARE_POSTINGS = 10_000  # the rarest query terms find candidates until their postings pass this; all terms score
FEWEST_DOCUMENTS = 100  # the idf of a store with three memories would make every word worthless
MOST_WINDOWS = 6400
SIMILAR_EF = 40  # what is nearly the same is found with less search than what is merely related

_CANDIDATES = """
WITH dense AS MATERIALIZED (
    SELECT v.memory_id FROM memory_vectors v JOIN memories m ON m.owner_id = v.owner_id AND m.id = v.memory_id
     WHERE v.owner_id = %(owner)s AND v.model_id = {model} AND v.sector = 0 AND v.live AND {visible}
     ORDER BY v.embedding::halfvec({dimension}) <=> %(query)s::halfvec({dimension}) LIMIT %(windows)s
), scored AS MATERIALIZED (
    SELECT l.memory_id, l.w <#> %(terms)s AS score FROM memory_lexical l
     WHERE l.owner_id = %(owner)s AND l.live AND l.terms && %(rare)s ORDER BY score
), lexical AS MATERIALIZED (
    SELECT scored.memory_id FROM scored, LATERAL (
        SELECT FROM memories m WHERE m.owner_id = %(owner)s AND m.id = scored.memory_id AND {visible} OFFSET 0) AS visible
     ORDER BY scored.score LIMIT %(limit)s
), found AS (
    SELECT memory_id FROM dense UNION SELECT memory_id FROM lexical
)
SELECT m.id, m.salience, m.session_id, m.created_at, m.last_confirmed_at, m.last_used_at,
       (SELECT count(*) FROM dense) AS windows, (SELECT count(DISTINCT memory_id) FROM dense) AS distinct_dense,
       coalesce((SELECT 1 - min(v.embedding::halfvec({dimension}) <=> %(query)s::halfvec({dimension})) FROM memory_vectors v
         WHERE v.owner_id = m.owner_id AND v.memory_id = m.id AND v.model_id = {model} AND v.sector = 0 AND v.live), 0) AS cosine,
       coalesce(-(l.w <#> %(terms)s), 0) AS bm25,
       coalesce(1 - (c.embedding::vector({dimension}) <=> %(query)s::halfvec({dimension})::vector({dimension})), 0) AS context_match
  FROM found JOIN memories m ON m.owner_id = %(owner)s AND m.id = found.memory_id
  LEFT JOIN memory_lexical l ON l.owner_id = m.owner_id AND l.memory_id = m.id
  LEFT JOIN memory_contexts c ON c.owner_id = m.owner_id AND c.memory_id = m.id AND c.id = m.context_id AND c.model_id = {model}
"""

_SIMILAR = """
SELECT DISTINCT q.text, near.memory_id
  FROM unnest(%(vectors)b::halfvec[], %(texts)s::integer[]) AS q(v, text), LATERAL (
    SELECT v.memory_id, v.embedding::halfvec({dimension}) <=> q.v::halfvec({dimension}) AS distance
      FROM memory_vectors v JOIN memories m ON m.owner_id = v.owner_id AND m.id = v.memory_id
     WHERE v.owner_id = %(owner)s AND v.model_id = {model} AND v.sector = 0 AND v.live AND {state}
     ORDER BY distance LIMIT %(limit)s) AS near
 WHERE near.distance <= %(distance)s
"""


def _fill(template: str, model: ModelRow, **parts: sql.Composable) -> sql.Composed:
    return sql.SQL(template).format(model=sql.Literal(model.id), dimension=sql.Literal(model.dimension), **parts)


def idf(connection: Connection, owner_id: int, terms: LexicalTerms) -> tuple[dict[int, float], list[int]]:
    """Weight of each query term, and the rare ones that find candidates.

    Robertson's idf with one added, so that it is never negative: log(1 + (N - df + 0.5) / (df + 0.5)). Before the first
    recount every term counts the same.
    """
    rows = connection.execute(
        """SELECT t.term, coalesce(lt.df, 0) AS df, (SELECT documents FROM lexical_counts WHERE owner_id = %(owner)s) AS documents
             FROM unnest(%(terms)s::integer[]) AS t(term)
             LEFT JOIN lexical_terms lt ON lt.owner_id = %(owner)s AND lt.term = t.term""",
        {"owner": owner_id, "terms": list(terms.counts)},
    ).fetchall()
    documents = max((row["documents"] or 0 for row in rows), default=0)
    df = {row["term"]: min(row["df"], documents) for row in rows}
    documents = max(documents, FEWEST_DOCUMENTS)
    values = {term: terms.counts[term] * math.log(1 + (documents - n + 0.5) / (n + 0.5)) for term, n in df.items()}
    return values, rare_terms(df)


def rare_terms(df: Mapping[int, int]) -> list[int]:
    """The rarest terms until their document frequencies pass RARE_POSTINGS; at least one where there is any."""
    chosen: list[int] = []
    postings = 0
    for term, n in sorted(df.items(), key=lambda item: (item[1], item[0])):
        postings += n
        if chosen and postings > RARE_POSTINGS:
            break
        chosen.append(term)
    return chosen


def candidates(
    connection: Connection, owner_id: int, model: ModelRow, query: Vectors, terms: LexicalTerms, tags: Sequence[str], limit: int
) -> list[Candidate]:
    """What either leg finds among live, unexpired memories, with both scores for each; in no particular order."""
    values, rare = idf(connection, owner_id, terms)
    visible = LIVE + sql.SQL(" AND m.tags && %(tags)s") if tags else LIVE
    statement = _fill(_CANDIDATES, model, visible=visible)
    parameters: dict[str, Any] = {
        "owner": owner_id,
        "query": HalfVector(query[0]),
        "terms": derived.sparse(values),
        "rare": rare,
        "tags": list(tags),
        "limit": limit,
        "windows": limit,
    }
    rows = connection.execute(statement, parameters).fetchall()
    # One long memory may hold every window that was asked for; ask for more until enough distinct ones are there.
    while rows and rows[0]["windows"] == parameters["windows"] < MOST_WINDOWS and rows[0]["distinct_dense"] < limit // 2:
        parameters["windows"] *= 4
        rows = connection.execute(statement, parameters).fetchall()
    return [
        Candidate(
            id=row["id"],
            cosine=row["cosine"],
            bm25=row["bm25"],
            context_match=row["context_match"],
            salience=row["salience"],
            session_id=row["session_id"],
            created_at=row["created_at"],
            last_confirmed_at=row["last_confirmed_at"],
            last_used_at=row["last_used_at"],
        )
        for row in rows
    ]


def similar(
    connection: Connection, owner_id: int, model: ModelRow, texts: Sequence[Vectors], *, floor: float, limit: int, tombstones: bool
) -> list[list[tuple[int, float]]]:
    """For each text the ids of memories that cover its windows and are covered by them with at least `floor`, best first.

    Of tombstones only those that a person or client made count: what a job archived was not wrong. In a transaction.
    """
    state = sql.SQL("m.deleted_at IS NOT NULL AND m.deleted_by <> 'job'") if tombstones else LIVE
    connection.execute("SELECT set_config('hnsw.ef_search', %s, true)", [str(SIMILAR_EF)])
    rows = connection.execute(
        _fill(_SIMILAR, model, state=state),
        {
            "owner": owner_id,
            "vectors": [HalfVector(vector) for vectors in texts for vector in vectors],
            "texts": [number for number, vectors in enumerate(texts) for _ in vectors],
            "distance": 1 - floor + 1e-3,
            "limit": limit,
        },
    ).fetchall()
    if not rows:
        return [[] for _ in texts]
    stored = windows_of(connection, owner_id, model, sorted({row["memory_id"] for row in rows}))
    found: list[list[tuple[int, float]]] = [[] for _ in texts]
    for row in rows:
        score = coverage(texts[row["text"]], stored[row["memory_id"]])
        if score >= floor:
            found[row["text"]].append((row["memory_id"], score))
    return [sorted(one, key=lambda item: (-item[1], item[0]))[:limit] for one in found]


def windows_of(connection: Connection, owner_id: int, model: ModelRow, ids: Sequence[int]) -> dict[int, Vectors]:
    """The live vectors of memories, each of shape (windows, dimension)."""
    rows = connection.execute(
        """SELECT memory_id, array_agg(embedding ORDER BY window_no) AS vectors FROM memory_vectors
            WHERE owner_id = %s AND model_id = %s AND memory_id = ANY(%s) AND sector = 0 AND live GROUP BY memory_id""",
        [owner_id, model.id, list(ids)],
        binary=True,  # as text, a vector is 384 numbers to be parsed
    ).fetchall()
    return {row["memory_id"]: derived.stack(cast(list[HalfVector], row["vectors"])) for row in rows}
