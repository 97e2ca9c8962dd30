"""An embedder for tests that are about something else than embeddings, and small builders."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from server.memory.model import Draft
from server.memory.ports import EmbeddingError, EmbeddingModel, Vectors
from server.memory.tags import check_tags


class WordEmbedder:
    """Texts that share words are near each other. Texts can be placed at a chosen cosine to others, or made to fail."""

    def __init__(self, generation: str = "0" * 16, dimension: int = 384) -> None:
        self.model = EmbeddingModel("words", generation, dimension)
        self.calls = 0  # texts
        self.batches = 0  # calls for passages
        self.fails: EmbeddingError | None = None
        self._placed: dict[str, Vectors] = {}

    def place(self, text: str, near: str, cosine: float, *more: tuple[str, float]) -> None:
        """Give a text a window at this cosine to another text, and further windows."""
        self._placed[text] = np.stack([self._at(text, other, value) for other, value in ((near, cosine), *more)])

    def embed_query(self, text: str) -> Vectors:
        return self._embed(text)[:1]

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        self.batches += 1
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vectors:
        self.calls += 1
        if self.fails:
            raise self.fails
        return self._placed[text] if text in self._placed else self._words(text)[None, :]

    def _at(self, text: str, other: str, cosine: float) -> Any:
        base = self._placed[other][0] if other in self._placed else self._words(other)
        aside = self._hash(f"aside {text} {other}")
        aside -= base * float(base @ aside)
        aside /= np.linalg.norm(aside)
        return (cosine * base + np.sqrt(1 - cosine**2) * aside).astype(np.float32)

    def _words(self, text: str) -> Any:
        vector = sum((self._hash(word) for word in text.lower().split()), np.zeros(self.model.dimension))
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def _hash(self, word: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        vector = np.random.default_rng(seed).standard_normal(self.model.dimension)
        return vector / np.linalg.norm(vector)


def draft(text: str, tags: Sequence[str] = (), **fields: Any) -> Draft:
    """A draft without the checks of the domain."""
    normal, given = check_tags(tags)
    return Draft(text=text, tags=normal, tags_given=given, **fields)
