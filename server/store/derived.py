"""What can be made again from the texts: vectors per model generation, and BM25 rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, SparseVector

from server.memory.model import Memory, embedding_key
from server.memory.ports import EmbeddingModel, LexicalTerms, Vectors
from server.store.database import Connection

TERM_SPACE = 1_000_000_000  # the most dimensions that a sparsevec may have
MAX_SPARSE = 16_000  # the most non-zero elements of one
K1, B = 1.2, 0.75
CONTEXT_KEPT = 0.7
FIRST_AVERAGE = 20.0  # terms a memory, until the first recount


@dataclass(frozen=True, slots=True)
class ModelRow:
    """The current model as the store knows it."""

    id: int
    generation: str
    dimension: int


def register_model(connection: Connection, owner_id: int, model: EmbeddingModel) -> ModelRow:
    """Make this generation the current one; vectors of others stay but are never looked at."""
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('ownsona models', %s))", [owner_id])
    connection.execute(
        "UPDATE models SET state = 'former' WHERE owner_id = %s AND state = 'current' AND generation <> %s", [owner_id, model.generation]
    )
    row = connection.execute(
        """INSERT INTO models (owner_id, generation, name, dimension, state) VALUES (%s, %s, %s, %s, 'current')
           ON CONFLICT (owner_id, generation) DO UPDATE SET state = 'current' RETURNING id""",
        [owner_id, model.generation, model.name, model.dimension],
    ).fetchone()
    return ModelRow(cast(int, row["id"]) if row else 0, model.generation, model.dimension)


def set_vectors(connection: Connection, owner_id: int, model: ModelRow, made: Sequence[tuple[int, str, Vectors]]) -> None:
    """Store the windows of texts, (memory id, text, vectors), and make them the live ones of their memories."""
    windows = [(one, embedding_key(text), number, vector) for one, text, vectors in made for number, vector in enumerate(vectors)]
    connection.execute(
        """INSERT INTO memory_vectors (owner_id, model_id, memory_id, text_key, window_no, embedding)
           SELECT %(owner)s, %(model)s, * FROM unnest(%(ids)s::bigint[], %(keys)s::bytea[], %(numbers)s::integer[], %(vectors)b::halfvec[])
               ON CONFLICT DO NOTHING""",
        {
            "owner": owner_id,
            "model": model.id,
            "ids": [one for one, _, _, _ in windows],
            "keys": [key for _, key, _, _ in windows],
            "numbers": [number for _, _, number, _ in windows],
            "vectors": [HalfVector(vector) for _, _, _, vector in windows],
        },
    )
    relive_vectors(connection, owner_id, [(one, text) for one, text, _ in made])


def relive_vectors(connection: Connection, owner_id: int, present: Sequence[tuple[int, str]]) -> None:
    """Of the vectors that are there, make those of these texts, (memory id, text), the live ones."""
    connection.execute(
        """UPDATE memory_vectors AS v SET live = (v.text_key = present.key) FROM unnest(%s::bigint[], %s::bytea[]) AS present(id, key)
            WHERE v.owner_id = %s AND v.memory_id = present.id AND v.live <> (v.text_key = present.key)""",
        [[one for one, _ in present], [embedding_key(text) for _, text in present], owner_id],
    )


def weights(terms: LexicalTerms, average_length: float) -> dict[int, float]:
    """The document's half of BM25: saturated term frequencies. Robertson and Zaragoza 2009, k1 1.2, b 0.75."""
    penalty = K1 * (1 - B + B * terms.length / max(average_length, 1.0))
    heaviest = sorted(terms.counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_SPARSE]
    return {term: tf * (K1 + 1) / (tf + penalty) for term, tf in heaviest}


def frequencies(w: SparseVector, length: int, average_length: float) -> dict[int, int]:
    """The term frequencies that `weights` made a row from."""
    penalty = K1 * (1 - B + B * length / max(average_length, 1.0))
    return {term + 1: max(1, round(value * penalty / (K1 + 1 - value))) for term, value in zip(w.indices(), w.values(), strict=True)}


def sparse(values: Mapping[int, float]) -> SparseVector:
    """A sparsevec with one element per hashed term (terms count from 1, indices from 0)."""
    return SparseVector({term - 1: value for term, value in values.items()}, TERM_SPACE)


def set_lexical(connection: Connection, owner_id: int, rows: Iterable[tuple[int, LexicalTerms, bool]]) -> None:
    """Store the BM25 rows of memories: (id, terms, live)."""
    average = average_length(connection, owner_id)
    with connection.cursor() as cursor:
        # Not over unnest: an array of arrays cannot have rows of different lengths.
        cursor.executemany(
            """INSERT INTO memory_lexical (owner_id, memory_id, live, length, terms, w) VALUES (%s, %s, %s, %s, %s, %s)
               ON CONFLICT (owner_id, memory_id)
               DO UPDATE SET live = excluded.live, length = excluded.length, terms = excluded.terms, w = excluded.w""",
            [
                (owner_id, memory_id, live, terms.length, sorted(made), sparse(made))
                for memory_id, terms, live in rows
                for made in [weights(terms, average)]
            ],
        )


def learn_context(connection: Connection, model: ModelRow, memory: Memory, query: Vectors) -> tuple[int, bool]:
    """Add a context of 0.7 of the present one and 0.3 of the query, or the query alone the first time.

    Returns its id, and whether it was the first of this model.
    """
    key = {"owner": memory.owner_id, "memory": memory.id, "id": memory.context_id, "model": model.id}
    row = connection.execute(
        """SELECT embedding FROM memory_contexts
            WHERE owner_id = %(owner)s AND memory_id = %(memory)s AND id = %(id)s AND model_id = %(model)s""",
        key,
    ).fetchone()
    learned = query[0] if row is None else CONTEXT_KEPT * np.array(row["embedding"], np.float32) + (1 - CONTEXT_KEPT) * query[0]
    made = connection.execute(
        """INSERT INTO memory_contexts (owner_id, memory_id, model_id, embedding)
           VALUES (%(owner)s, %(memory)s, %(model)s, %(embedding)s) RETURNING id""",
        key | {"embedding": learned.tolist()},
    ).fetchone()
    return cast(int, made["id"]) if made else 0, row is None


def average_length(connection: Connection, owner_id: int) -> float:
    """The mean length in terms that every present BM25 row is made with."""
    row = connection.execute("SELECT average_length FROM lexical_counts WHERE owner_id = %s", [owner_id]).fetchone()
    return cast(float, row["average_length"]) if row else FIRST_AVERAGE


def stack(rows: Iterable[HalfVector]) -> Vectors:
    """Stored vectors as float32, shape (n, dimension)."""
    return unit(np.stack([row.to_numpy() for row in rows]))


def unit(stored: NDArray[np.float16]) -> Vectors:
    """Stored vectors with length 1 again, which half precision has changed a little; shape (n, dimension)."""
    vectors = stored.astype(np.float32)
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]  # in place: there may be 100 000
    return vectors
