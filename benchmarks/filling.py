"""Vectors of made-up facts, kept between runs, and a bulk load of them into a store.

    python -m benchmarks.filling [NUMBER]      # only make the vectors that are missing

Embedding a hundred thousand texts takes an hour on a small computer, so vectors stay in the user's cache folder, one file for
each generation of the model. Where it holds at least 10 000, the rest are stand-ins: the vector of a fact, moved by half the
difference of two others. They lie as real ones do, though they say nothing about their texts.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from benchmarks.facts import Fact, facts
from server.embedding.service import open_embedder
from server.embedding.transform import unit
from server.memory.model import embedding_key, exact_key
from server.memory.ports import Embedder
from server.memory.terms import terms
from server.settings import Settings
from server.store import derived
from server.store.database import Connection
from server.store.derived import ModelRow

FOLDER = Path.home() / ".cache" / "ownsona-desktop" / "bench"
AT_ONCE = 1000
EMBEDDED = 10_000  # facts that are embedded in any case

Halves = NDArray[np.float16]  # shape (n, dimension)


def vectors_of(wanted: Sequence[Fact], embedder: Embedder) -> tuple[Halves, int]:
    """The vector of each fact, in order, and how many of them are the model's own; the rest are stand-ins."""
    known = embedded(wanted[:EMBEDDED], embedder)[: len(wanted)]
    return (known if len(known) == len(wanted) else _stretched(known, len(wanted))), len(known)


def _stretched(known: Halves, number: int) -> Halves:
    source = np.random.default_rng(7)
    base, left, right = (known[source.integers(len(known), size=number - len(known))].astype(np.float32) for _ in range(3))
    return np.concatenate([known, unit(base + 0.5 * (left - right)).astype(np.float16)])


def embedded(wanted: Sequence[Fact], embedder: Embedder) -> Halves:
    """The vectors of facts by the model, and of those after them that the cache has too."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = hashlib.sha256("\n".join(one.text for one in facts(100)).encode()).hexdigest()[:8]
    file = FOLDER / f"{embedder.model.generation}-{texts}.npy"
    known: Halves = np.load(file) if file.exists() else np.zeros((0, embedder.model.dimension), np.float16)
    began, before = time.monotonic(), len(known)
    while len(known) < len(wanted):
        part = [one.text for one in wanted[len(known) : len(known) + AT_ONCE]]
        made = embedder.embed_passages(part)
        assert all(len(windows) == 1 for windows in made), "the facts are short"
        known = np.concatenate([known, np.concatenate(made).astype(np.float16)])
        np.save(file, known)
        print(f"embedded {len(known)} facts, {(len(known) - before) / (time.monotonic() - began):.0f}/s", file=sys.stderr)
    return known


def load(connection: Connection, owner_id: int, model: ModelRow, wanted: Sequence[Fact], vectors: Halves) -> None:
    """Put facts with their vectors and BM25 rows into an empty store, a minute apart, the last one now."""
    began = datetime.now(UTC) - timedelta(minutes=len(wanted))
    columns = "owner_id, id, text, text_key, tags, tags_given, source_provider, source_client, created_at, updated_at, last_confirmed_at"
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY memories ({columns}) FROM STDIN") as copy:
            for number, fact in enumerate(wanted, 1):
                at, tags = began + timedelta(minutes=number), list(fact.tags)
                copy.write_row((owner_id, number, fact.text, exact_key(fact.text), tags, tags, "benchmark", "benchmark", at, at, at))
        with cursor.copy("COPY memory_vectors (owner_id, model_id, memory_id, text_key, window_no, embedding) FROM STDIN") as copy:
            for number, (fact, vector) in enumerate(zip(wanted, vectors, strict=True), 1):
                copy.write_row((owner_id, model.id, number, embedding_key(fact.text), 0, HalfVector(vector)))
        cursor.execute("SELECT setval(pg_get_serial_sequence('memories', 'id'), %s)", [len(wanted)])
    for start in range(0, len(wanted), AT_ONCE):
        part = enumerate(wanted[start : start + AT_ONCE], start + 1)
        derived.set_lexical(connection, owner_id, [(number, terms(fact.text), True) for number, fact in part])


def main() -> None:
    """Fill the cache."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    embedder = open_embedder(Settings.read())
    embedder.start()
    assert embedder.ready.wait(60), embedder.advice
    embedded(facts(number), embedder)
    embedder.stop()


if __name__ == "__main__":
    main()
