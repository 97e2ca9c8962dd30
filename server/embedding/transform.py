"""From the model's raw vectors to the stored ones: centred, so that cosines are spread, and of unit length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from server.memory.ports import EmbeddingError, Vectors


def unit(vectors: NDArray[np.float32]) -> Vectors:
    """Rows of length 1; shape (n, dimension)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


class Transform:
    """Subtracts one mean from unit vectors, of queries and passages alike, and makes them unit vectors again.

    A model like E5 puts all texts into a narrow cone, where unrelated ones have a cosine near 0.8. Without what all
    texts share, unrelated ones come near 0, and a threshold means something.
    """

    def __init__(self, mean: NDArray[np.float32]) -> None:
        self._mean = mean

    @classmethod
    def read(cls, path: Path | None, dimension: int) -> Transform:
        """The transform in a .npy file of shape (dimension,); without a file nothing is subtracted. Raises EmbeddingError."""
        if path is None:
            return cls(np.zeros(dimension, np.float32))
        try:
            mean = np.load(path, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise EmbeddingError(f"The transform {path} cannot be read. Install OwnSona again.") from error
        if mean.shape != (dimension,) or mean.dtype != np.float32:
            raise EmbeddingError(f"The transform {path} does not fit its card: it must hold {dimension} float32 numbers.")
        return cls(mean)

    def apply(self, raw: NDArray[np.float32]) -> Vectors:
        """Stored vectors for the model's pooled ones; shape (n, dimension)."""
        return unit(unit(raw) - self._mean)
