"""Development data and raw vectors for the benchmarks of the embedding model. Nothing of the data is part of the project."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np

from server.embedding.cards import LocalModel, find_card
from server.embedding.client import LocalEmbedder
from server.memory.ports import Vectors


def stsb_languages(data: Path) -> list[str]:
    """The languages there are."""
    return sorted(path.name.split("-")[1] for path in data.glob("stsb-*-dev.csv"))


def stsb(data: Path, language: str) -> list[tuple[str, str, float]]:
    """Sentence pairs with their similarity, 0 to 5."""
    with (data / f"stsb-{language}-dev.csv").open(encoding="utf-8", newline="") as file:
        return [(one, two, float(score)) for one, two, score in csv.reader(file)]


def mrpc(data: Path) -> list[tuple[str, str, float]]:
    """Sentence pairs with 1 for a paraphrase and 0 for none."""
    with (data / "mrpc-val.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [(row[3], row[4], float(row[0])) for row in rows]


def raw_model() -> LocalModel:
    """The default model without its transform: its embedder gives the model's own vectors at unit length."""
    local = find_card(None)
    files = local.card.files.model_copy(update={"transform": None})
    return LocalModel(local.card.model_copy(update={"files": files}), local.folder)


@contextmanager
def embedder(local: LocalModel) -> Iterator[LocalEmbedder]:
    """A running embedder."""
    running = LocalEmbedder(local)
    running.start()
    try:
        if not running.ready.wait(60):
            raise SystemExit(running.advice or "the model did not start")
        yield running
    finally:
        running.stop()


def embed(running: LocalEmbedder, texts: Sequence[str], kind: Literal["query", "passage"]) -> Vectors:
    """One vector per text: of its first window, shape (n, dimension)."""
    if kind == "query":
        return np.concatenate([running.embed_query(text) for text in texts])
    return np.concatenate([vectors[:1] for vectors in running.embed_passages(texts)])
