"""What the parts can do without the product around them: llama.cpp alone, and one pgvector query."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection as Pipe

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from benchmarks.embedding_speed import alone
from benchmarks.serving import Times, timed
from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder, Options, load_order
from server.embedding.process import environment
from server.memory.ports import Vectors

LEG = 100  # candidates of each leg
EF = 100


class BareEncoder:
    """The encoder with the worker's settings in a process of its own: tokenise, pack, encode, and nothing else."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def seconds(self, texts: Sequence[str]) -> float:
        """How long it computes."""
        self._pipe.send(list(texts))
        return float(self._pipe.recv())


@contextlib.contextmanager
def encoder() -> Iterator[BareEncoder]:
    """Load the model, and let go of it at the end."""
    os.environ.update(environment())
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=alone, args=(load_order(find_card(None), Options().threads), there), daemon=True)
    process.start()
    there.close()  # so that the end of the process is seen
    try:
        yield BareEncoder(here)
    finally:
        here.send([])
        process.join()


def query_vectors(queries: Sequence[str]) -> list[Vectors]:
    """The stored form of queries, by an embedder that is gone afterwards."""
    embedder = LocalEmbedder(find_card(None))
    embedder.start()
    assert embedder.ready.wait(60), embedder.advice
    found = [embedder.embed_query(query) for query in queries]
    embedder.stop()
    return found


@dataclass(frozen=True, slots=True)
class BareQueries:
    """The nearest vectors straight from the table."""

    times: Times
    exact: Times
    overlap: float  # of the first ten with those of the exact search


def nearest(conninfo: str, vectors: Sequence[Vectors]) -> BareQueries:
    """The hundred nearest by the index where there is one, and exactly; each statement is prepared once."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        register_vector(connection)
        row = connection.execute("SELECT id, dimension FROM models WHERE state = 'current'").fetchone()
        assert row is not None
        model, dimension = row
        statement = (
            f"SELECT memory_id FROM memory_vectors WHERE model_id = {model} AND sector = 0 AND live"
            f" ORDER BY embedding::halfvec({dimension}) <=> %s::halfvec({dimension}) LIMIT {LEG}"
        )

        def ask(vector: Vectors, into: list[list[int]]) -> None:
            into.append([one[0] for one in connection.execute(statement, [HalfVector(vector[0])], prepare=True)])

        settings = {"hnsw.ef_search": str(EF), "plan_cache_mode": "force_custom_plan"}
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        found: list[list[int]] = []
        times = timed([partial(ask, vector, found) for vector in vectors])
        connection.execute("SET enable_indexscan = off")
        truth: list[list[int]] = []
        exact = timed([partial(ask, vector, truth) for vector in vectors])
    overlap = sum(len(set(some[:10]) & set(best[:10])) for some, best in zip(found, truth, strict=True)) / (10 * len(vectors))
    return BareQueries(times, exact, overlap)
