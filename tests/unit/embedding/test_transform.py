"""The transform of raw vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.embedding.cache import QueryCache
from server.embedding.transform import Transform
from server.memory.ports import EmbeddingError


def test_the_mean_is_subtracted_from_unit_vectors_which_are_unit_vectors_again(tmp_path: Path) -> None:
    np.save(tmp_path / "mean.npy", np.array([0.6, 0.0], np.float32))
    transform = Transform.read(tmp_path / "mean.npy", 2)
    found = transform.apply(np.array([[0.0, 7.0], [3.0, 0.0]], np.float32))
    expected = np.array([-0.6, 1.0]) / np.hypot(0.6, 1.0)
    np.testing.assert_allclose(found, [expected, [1.0, 0.0]], rtol=1e-6)
    assert found.dtype == np.float32


def test_without_a_file_vectors_are_only_normalised() -> None:
    np.testing.assert_allclose(Transform.read(None, 2).apply(np.array([[3.0, 4.0]], np.float32)), [[0.6, 0.8]], rtol=1e-6)


def test_a_zero_vector_gives_no_nan() -> None:
    assert np.isfinite(Transform.read(None, 2).apply(np.zeros((1, 2), np.float32))).all()


@pytest.mark.parametrize("content", [np.zeros(3, np.float32), np.zeros(2, np.float64)])
def test_a_transform_of_another_shape_or_type_is_refused(tmp_path: Path, content: object) -> None:
    np.save(tmp_path / "mean.npy", np.asarray(content))
    with pytest.raises(EmbeddingError, match="does not fit its card"):
        Transform.read(tmp_path / "mean.npy", 2)


def test_a_damaged_transform_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mean.npy").write_bytes(b"nothing")
    with pytest.raises(EmbeddingError, match="cannot be read"):
        Transform.read(tmp_path / "mean.npy", 2)


def test_the_cache_forgets_the_query_that_was_not_used_for_longest() -> None:
    cache = QueryCache(2)
    one, two, three = (np.full((1, 2), number, np.float32) for number in range(3))
    cache.put("g", "one", one)
    cache.put("g", "two", two)
    assert cache.get("g", "one") is one
    cache.put("g", "three", three)
    assert cache.get("g", "two") is None
    assert cache.get("g", "one") is one
    assert cache.get("other generation", "one") is None
    with pytest.raises(ValueError, match="read-only"):
        one[0, 0] = 5.0
