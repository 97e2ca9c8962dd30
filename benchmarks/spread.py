"""How the transform spreads cosines, what the contract's thresholds then mean, and what retrieval gains or loses.

    python -m benchmarks.spread DATA [--tried]

DATA is the folder of development data. `--tried` also measures what was tried and left out (see fit_transform.py).
Every line is measured with the same vectors of the default model: raw, then with the transform of its card.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.embedding_data import embed, embedder, mrpc, raw_model, stsb, stsb_languages
from benchmarks.locomo import Talks, load
from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder
from server.embedding.transform import Transform, unit
from server.memory.ports import Vectors

THRESHOLDS = (0.80, 0.90, 0.92, 0.95)
Floats = NDArray[np.float64]
Change = Callable[[Vectors], Vectors]


@dataclass(frozen=True)
class Pairs:
    """Vectors of sentence pairs and what people say about them."""

    one: Vectors
    two: Vectors
    gold: Floats

    def cosines(self, change: Change) -> Floats:
        """One cosine per pair."""
        return row_products(change(self.one), change(self.two))


@dataclass(frozen=True)
class Talk:
    """One talk of LoCoMo: its turns, the questions about it, and for each question the places of the turns that answer it."""

    turns: Vectors
    questions: Vectors
    evidence: list[list[int]]


@dataclass(frozen=True)
class Measured:
    """All vectors that are needed, without any transform."""

    stsb: dict[str, Pairs]
    mrpc: Pairs
    talks: list[Talk]


def measure(data: Path, running: LocalEmbedder) -> Measured:
    """Embed everything once."""

    def pairs(rows: Sequence[tuple[str, str, float]]) -> Pairs:
        one = embed(running, [row[0] for row in rows], "passage")
        two = embed(running, [row[1] for row in rows], "passage")
        return Pairs(one, two, np.array([row[2] for row in rows]))

    languages = {language: pairs(stsb(data, language)) for language in stsb_languages(data)}
    talks = load(data / "locomo-dev.json")
    names = dict.fromkeys(turn.talk for turn in talks.turns)
    return Measured(languages, pairs(mrpc(data)), [measure_talk(talks, name, running) for name in names])


def measure_talk(talks: Talks, name: str, running: LocalEmbedder) -> Talk:
    """One talk's turns and questions as vectors."""
    turns = [turn for turn in talks.turns if turn.talk == name]
    places = {turn.key: place for place, turn in enumerate(turns)}
    questions = [question for question in talks.questions if question.talk == name]
    return Talk(
        embed(running, [turn.text for turn in turns], "passage"),
        embed(running, [question.text for question in questions], "query"),
        [sorted(places[key] for key in question.turns) for question in questions],
    )


def row_products(one: Vectors, two: Vectors) -> Floats:
    """The dot product of each row with the same row of the other."""
    return np.asarray((one * two).sum(axis=1), np.float64)


def ranks(values: Floats) -> Floats:
    """Ranks, ties at their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places], np.float64)


def spearman(one: Floats, two: Floats) -> float:
    """Rank correlation."""
    return float(np.corrcoef(ranks(one), ranks(two))[0, 1])


def percentiles(values: Floats) -> str:
    """5, 25, 50, 75 and 95 %."""
    return " ".join(f"{value:6.2f}" for value in np.percentile(values, (5, 25, 50, 75, 95)))


def random_cosines(vectors: Vectors, count: int = 5000) -> Floats:
    """Cosines of random pairs, the same ones on every run."""
    places = np.random.default_rng(0).integers(0, len(vectors), (2, count))
    places = places[:, places[0] != places[1]]
    return row_products(vectors[places[0]], vectors[places[1]])


def show_spread(measured: Measured, change: Change) -> None:
    """Percentiles of cosines by how alike two texts are."""
    every = measured.stsb.values()
    cosines = np.concatenate([pairs.cosines(change) for pairs in every])
    gold = np.concatenate([pairs.gold for pairs in every])
    rows = {
        "random pairs, STS-B": np.concatenate([random_cosines(change(pairs.one)) for pairs in every]),
        "random pairs, LoCoMo turns": np.concatenate([random_cosines(change(talk.turns)) for talk in measured.talks]),
        "STS-B, gold below 1": cosines[gold < 1],
        "STS-B, gold 3.5 to 4.5": cosines[(gold >= 3.5) & (gold < 4.5)],
        "STS-B, gold 4.5 and more": cosines[gold >= 4.5],
        "STS-B, gold 5": cosines[gold == 5],
    }
    print("cosine                            5 %   25 %   50 %   75 %   95 %")
    for name, values in rows.items():
        print(f"{name:28} {percentiles(values)}")


def show_thresholds(measured: Measured, change: Change) -> None:
    """Precision and recall of "the same" at the contract's thresholds."""
    every = measured.stsb.values()
    sets = {
        "STS-B gold >= 4.5": (np.concatenate([pairs.cosines(change) for pairs in every]), np.concatenate([p.gold >= 4.5 for p in every])),
        "STS-B gold >= 4": (np.concatenate([pairs.cosines(change) for pairs in every]), np.concatenate([p.gold >= 4 for p in every])),
        "MRPC": (measured.mrpc.cosines(change), measured.mrpc.gold == 1),
    }
    print("precision / recall at   " + "".join(f"{threshold:>16}" for threshold in THRESHOLDS))
    for name, (cosines, same) in sets.items():
        cells = []
        for threshold in THRESHOLDS:
            found = cosines >= threshold
            precision = same[found].mean() if found.any() else float("nan")
            cells.append(f"{precision:.3f} / {found[same].mean():.3f}")
        print(f"{name:24}" + "".join(f"{cell:>16}" for cell in cells))


def retrieval(measured: Measured, change: Change) -> Iterator[tuple[float, float, float]]:
    """Recall at 5 and 20 and reciprocal rank of each question."""
    for talk in measured.talks:
        scores = change(talk.questions) @ change(talk.turns).T
        for row, evidence in zip(scores, talk.evidence, strict=True):
            place = np.empty(len(row), np.int64)
            place[np.argsort(-row, kind="stable")] = np.arange(len(row))
            found = place[evidence]
            best = int(found.min())
            yield float((found < 5).mean()), float((found < 20).mean()), 1 / (best + 1) if best < 50 else 0.0


def show(name: str, measured: Measured, change: Change) -> None:
    """The whole table for one transform."""
    print(f"\n## {name}")
    show_spread(measured, change)
    show_thresholds(measured, change)
    print("STS-B Spearman  " + "  ".join(f"{name} {100 * spearman(p.cosines(change), p.gold):.1f}" for name, p in measured.stsb.items()))
    recall5, recall20, rank = np.mean(list(retrieval(measured, change)), axis=0)
    print(f"LoCoMo turns, dense only: R@5 {recall5:.3f}  R@20 {recall20:.3f}  MRR {rank:.3f}")


def tried(measured: Measured) -> Iterator[tuple[str, Change]]:
    """Centring and then scaling every direction by its variance to a small negative power."""
    vectors = np.concatenate([np.concatenate([pairs.one, pairs.two]) for pairs in measured.stsb.values()])
    mean = vectors.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov((vectors - mean).T))
    for power in (0.1, 0.2, 0.5):
        scale = (variances + variances.mean()) ** -power
        matrix = ((directions * scale) @ directions.T).astype(np.float32)
        yield f"centred, variance to the power of -{power}", partial(shrunk, mean=mean, matrix=matrix)


def shrunk(raw: Vectors, mean: Vectors, matrix: Vectors) -> Vectors:
    """Centred and mapped."""
    return unit(np.asarray((raw - mean) @ matrix, np.float32))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure the default model with and without its transform.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--tried", action="store_true", help="also what was tried and left out")
    options = parser.parse_args()
    with embedder(raw_model()) as running:
        measured = measure(options.data, running)
    local = find_card(None)
    assert local.card.files.transform is not None
    show("raw", measured, lambda raw: raw)
    show("the card's transform", measured, Transform.read(local.path(local.card.files.transform), local.card.dimension).apply)
    if options.tried:
        for name, change in tried(measured):
            show(name, measured, change)


if __name__ == "__main__":
    main()
