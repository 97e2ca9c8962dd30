"""All pairs of similar memories: exact, in blocks, so that memory stays bounded whatever the size of the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from server.memory.ports import Pair, Vectors
from server.memory.storing import coverage
from server.store import derived
from server.store.database import Connection
from server.store.derived import ModelRow
from server.store.memories import LIVE

BLOCK = 256  # rows at once: 100 MB of cosines at 100 000 vectors
NEIGHBOURS = 10  # of each memory at most
FLOAT_ERROR = 1e-6  # of the cosine of a vector with itself


def similar_pairs(connection: Connection, owner_id: int, model: ModelRow, threshold: float, *, shared_tag: bool) -> list[Pair]:
    """Pairs of live memories that cover each other with at least `threshold`, at most ten for each memory."""
    ids, vectors = _load(connection, owner_id, model)
    found = _cover(ids, vectors, threshold)
    return _nearest(_sharing_tags(connection, owner_id, found) if shared_tag else found)


def _load(connection: Connection, owner_id: int, model: ModelRow) -> tuple[NDArray[np.int64], Vectors]:
    """Memory ids and vectors of all live windows, ordered by memory: shapes (n,) and (n, dimension)."""
    query = sql.SQL(
        "COPY (SELECT v.memory_id, v.embedding FROM memory_vectors v JOIN memories m ON m.owner_id = v.owner_id AND m.id = v.memory_id"
        " WHERE v.owner_id = {} AND v.model_id = {} AND v.sector = 0 AND v.live AND {} ORDER BY v.memory_id, v.window_no)"
        " TO STDOUT (FORMAT BINARY)"
    ).format(sql.Literal(owner_id), sql.Literal(model.id), LIVE)
    ids: list[int] = []
    rows: list[NDArray[np.float16]] = []
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        copy.set_types(["int8", "halfvec"])
        for memory_id, vector in copy.rows():
            ids.append(memory_id)
            rows.append(vector.to_numpy())
    vectors = derived.unit(np.stack(rows)) if rows else np.zeros((0, model.dimension), np.float32)
    return np.array(ids, np.int64), vectors


def _window_pairs(ids: NDArray[np.int64], vectors: Vectors, threshold: float) -> Iterator[tuple[int, int, float]]:
    """Positions of windows of different memories, and their cosine."""
    for start in range(0, len(vectors), BLOCK):
        cosines = vectors[start : start + BLOCK] @ vectors[start:].T
        for row, column in np.argwhere(cosines >= threshold - FLOAT_ERROR):
            if ids[start + row] < ids[start + column]:
                yield int(start + row), int(start + column), float(cosines[row, column])


def _cover(ids: NDArray[np.int64], vectors: Vectors, threshold: float) -> list[Pair]:
    windows = np.unique(ids, return_index=True, return_counts=True)
    span = {int(one): (int(first), int(count)) for one, first, count in zip(*windows, strict=True)}
    best: dict[tuple[int, int], float] = {}
    for left, right, cosine in _window_pairs(ids, vectors, threshold):
        pair = (int(ids[left]), int(ids[right]))
        if pair in best:
            continue
        (a, many_a), (b, many_b) = span[pair[0]], span[pair[1]]
        best[pair] = cosine if many_a == many_b == 1 else coverage(vectors[a : a + many_a], vectors[b : b + many_b])
    return [Pair(*pair, min(cosine, 1.0)) for pair, cosine in best.items() if cosine >= threshold - FLOAT_ERROR]


def _nearest(pairs: Sequence[Pair]) -> list[Pair]:
    """Of a memory with very many, those that are among the ten nearest of either side."""
    kept = []
    seen: dict[int, int] = defaultdict(int)
    for pair in sorted(pairs, key=lambda pair: (-pair.similarity, pair.left, pair.right)):
        if seen[pair.left] < NEIGHBOURS or seen[pair.right] < NEIGHBOURS:
            kept.append(pair)
            seen[pair.left] += 1
            seen[pair.right] += 1
    return kept


def _sharing_tags(connection: Connection, owner_id: int, pairs: Sequence[Pair]) -> list[Pair]:
    wanted = sorted({one for pair in pairs for one in (pair.left, pair.right)})
    rows: list[dict[str, Any]] = connection.execute(
        "SELECT id, tags FROM memories WHERE owner_id = %s AND id = ANY(%s)", [owner_id, wanted]
    ).fetchall()
    tags = {row["id"]: set(row["tags"]) for row in rows}
    nothing: set[str] = set()  # one of them may just have been deleted for good
    return [pair for pair in pairs if tags.get(pair.left, nothing) & tags.get(pair.right, nothing)]
