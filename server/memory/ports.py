"""What the domain needs from outside: an embedder and a store. `server.embedding` and `server.store` implement these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]  # shape (n, dimension); each row has length 1


class EmbeddingError(Exception):
    """The model could not embed. The message is fit for the person; it never holds the text.

    `detail` is what an embedding service answered, its status code first. It is not for the log: a service may echo texts.
    """

    def __init__(self, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What identifies vectors: those of two different generations are never compared."""

    name: str
    generation: str  # 16 hexadecimal digits: hash of file, prefixes, pooling, normalisation and transform
    dimension: int


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from many threads at once; calls are micro-batched."""

    @property
    def model(self) -> EmbeddingModel: ...

    def embed_query(self, text: str) -> Vectors:
        """One query; shape (1, dimension). Raises EmbeddingError."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text its overlapping windows in order: shape (windows, dimension), at least one. Raises EmbeddingError."""
