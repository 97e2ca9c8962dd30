"""Similar pairs by a bound: exactly those that comparing every pair with every other finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.memory.storing import coverage
from server.store import derived, pairs
from server.store.pairs import Halves, Positions


def stored(seed: int, count: int, dimension: int, spread: float) -> tuple[Positions, Halves]:
    """Windows of memories of one to three windows each, around a few centres."""
    source = np.random.default_rng(seed)
    ids = np.repeat(np.arange(count) * 3 + 5, source.integers(1, 4, count))
    centres = source.standard_normal((max(2, count // 4), dimension))
    vectors = centres[source.integers(len(centres), size=len(ids))] + spread * source.standard_normal((len(ids), dimension))
    return ids.astype(np.int64), (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def every_pair(ids: Positions, vectors: Halves, threshold: float) -> dict[tuple[int, int], float]:
    """The plain way."""
    wide = derived.unit(vectors)
    windows = {int(one): wide[ids == one] for one in np.unique(ids)}
    scores = {(a, b): coverage(windows[a], windows[b]) for a in windows for b in windows if a < b}
    return {pair: score for pair, score in scores.items() if score >= threshold}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([8, 96, 200]), st.sampled_from([0.05, 0.3, 1.0]))
def test_as_if_every_pair_were_compared(seed: int, count: int, dimension: int, spread: float) -> None:
    ids, vectors = stored(seed, count, dimension, spread)
    for threshold in (0.5, 0.8, 0.92):
        found = {(pair.left, pair.right): pair.similarity for pair in pairs._cover(ids, vectors, threshold)}
        truth = every_pair(ids, vectors, threshold)
        border = {pair for pair in found.keys() ^ truth.keys() if abs({**found, **truth}[pair] - threshold) < 1e-5}
        assert found.keys() - border == truth.keys() - border
        assert all(found[pair] == pytest.approx(truth[pair], abs=1e-5) for pair in found.keys() & truth.keys())


def test_blocks_meet_at_their_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pair is looked at, wherever blocks begin, and once."""
    ids, vectors = stored(1, 60, 96, 0.05)
    whole = sorted((pair.left, pair.right) for pair in pairs._cover(ids, vectors, 0.5))
    assert whole
    monkeypatch.setattr(pairs, "ROWS", 3)
    monkeypatch.setattr(pairs, "COLUMNS", 7)
    assert sorted((pair.left, pair.right) for pair in pairs._cover(ids, vectors, 0.5)) == whole


def test_a_bound_is_never_less_than_the_cosine() -> None:
    _, vectors = stored(2, 300, 384, 1.0)
    short, wide = pairs._bounds(vectors), derived.unit(vectors)
    assert short.shape[1] == pairs.AXES + 1
    assert np.all(short @ short.T >= wide @ wide.T - pairs.BOUND_ERROR)
