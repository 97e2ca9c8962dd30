"""All pairs of similar memories: exact, in blocks, so that memory stays bounded whatever the size of the store.

Most pairs are told apart by a bound. Vectors are turned so that their first axes are those along which they differ most; what
two of them have in common beyond those axes is at most the product of the lengths of their rests (Cauchy-Schwarz). With
that length as one more number, a short inner product is never less than the cosine, and only pairs that it lets through are
compared in full.
"""

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

ROWS, COLUMNS = 512, 2048  # of one block of bounds: 4 MB, which a processor's cache holds
AXES = 95  # and the length of the rest
SAMPLE = 5_000  # vectors that the axes are found from
NEIGHBOURS = 10  # of each memory at most
FLOAT_ERROR = 1e-6  # of the cosine of a vector with itself
BOUND_ERROR = 1e-5  # of a bound
HEADER = 11 + 4 + 4  # of COPY's binary format: signature, flags, length of the extension

Halves = NDArray[np.float16]  # shape (n, dimension)
Positions = NDArray[np.int64]


def similar_pairs(connection: Connection, owner_id: int, model: ModelRow, threshold: float, *, shared_tag: bool) -> list[Pair]:
    """Pairs of live memories that cover each other with at least `threshold`, at most ten for each memory."""
    ids, vectors = _load(connection, owner_id, model)
    found = _cover(ids, vectors, threshold)
    return _nearest(_sharing_tags(connection, owner_id, found) if shared_tag else found)


def _load(connection: Connection, owner_id: int, model: ModelRow) -> tuple[Positions, Halves]:
    """Memory ids and vectors of all live windows, ordered by memory: shapes (n,) and (n, dimension)."""
    query = sql.SQL(
        "COPY (SELECT v.memory_id, v.embedding::halfvec({}) FROM memory_vectors v"
        " JOIN memories m ON m.owner_id = v.owner_id AND m.id = v.memory_id"
        " WHERE v.owner_id = {} AND v.model_id = {} AND v.sector = 0 AND v.live AND {} ORDER BY v.memory_id, v.window_no)"
        " TO STDOUT (FORMAT BINARY)"
    ).format(sql.Literal(model.dimension), sql.Literal(owner_id), sql.Literal(model.id), LIVE)
    # Every row has the same layout, so all are read at once: two fields, each after its length, numbers big-endian.
    layout = np.dtype(
        [
            ("fields", ">i2"),
            ("id_length", ">i4"),
            ("id", ">i8"),
            ("length", ">i4"),
            ("size", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f2", model.dimension),
        ]
    )
    content = bytearray()
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for chunk in copy:
            content += chunk
    rows = np.frombuffer(content, layout, (len(content) - HEADER) // layout.itemsize, HEADER)
    return rows["id"].astype(np.int64), rows["vector"].astype(np.float16)


def _bounds(vectors: Halves) -> Vectors:
    """Short vectors whose inner products are no less than the cosines; shape (n, at most AXES + 1)."""
    sample = derived.unit(vectors[:: max(1, len(vectors) // SAMPLE)])
    _, axes = np.linalg.eigh(sample.T @ sample)
    leading = np.ascontiguousarray(axes[:, -AXES:])
    short = np.empty((len(vectors), leading.shape[1] + 1), np.float32)
    for start in range(0, len(vectors), COLUMNS):
        part = derived.unit(vectors[start : start + COLUMNS])
        short[start : start + COLUMNS, :-1] = turned = part @ leading
        short[start : start + COLUMNS, -1] = np.sqrt(np.maximum(np.sum(part**2, axis=1) - np.sum(turned**2, axis=1), 0))
    return short


def _window_pairs(ids: Positions, vectors: Halves, threshold: float) -> Iterator[tuple[Positions, Positions, Vectors]]:
    """Positions of similar windows of different memories, the lower id first, and their cosines; many at a time."""
    short = _bounds(vectors)
    for top in range(0, len(short), ROWS):
        for left in range(top - top % COLUMNS, len(short), COLUMNS):
            bounds = short[top : top + ROWS] @ short[left : left + COLUMNS].T
            hits = np.flatnonzero(bounds >= threshold - BOUND_ERROR)
            if not len(hits):
                continue
            one, other = top + hits // bounds.shape[1], left + hits % bounds.shape[1]
            apart = ids[one] < ids[other]
            one, other = one[apart], other[apart]
            cosines = _cosines(vectors, one, other)
            near = cosines >= threshold - FLOAT_ERROR
            yield one[near], other[near], cosines[near]


def _cosines(vectors: Halves, one: Positions, other: Positions) -> Vectors:
    """Of pairs of rows, a bounded number at a time."""
    cosines = np.empty(len(one), np.float32)
    for start in range(0, len(one), COLUMNS):
        part = slice(start, start + COLUMNS)
        cosines[part] = np.einsum("ij,ij->i", derived.unit(vectors[one[part]]), derived.unit(vectors[other[part]]))
    return cosines


def _cover(ids: Positions, vectors: Halves, threshold: float) -> list[Pair]:
    windows = np.unique(ids, return_index=True, return_counts=True)
    span = {int(one): (int(first), int(count)) for one, first, count in zip(*windows, strict=True)}
    best: dict[tuple[int, int], float] = {}
    for found in _window_pairs(ids, vectors, threshold):
        for left, right, cosine in zip(*(part.tolist() for part in found), strict=True):
            pair = (int(ids[left]), int(ids[right]))
            if pair in best:
                continue
            (a, many_a), (b, many_b) = span[pair[0]], span[pair[1]]
            single = many_a == many_b == 1
            best[pair] = cosine if single else coverage(derived.unit(vectors[a : a + many_a]), derived.unit(vectors[b : b + many_b]))
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
