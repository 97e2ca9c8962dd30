"""The embedder that the settings ask for."""

from __future__ import annotations

import threading
from typing import Protocol

from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder, Options
from server.memory.ports import Embedder
from server.settings import Settings


class EmbedderService(Embedder, Protocol):
    """An embedder that is started and stopped."""

    ready: threading.Event

    @property
    def state(self) -> str:
        """ "stopped", "starting", "ready", "idle" (as good as ready) or "failed"."""

    @property
    def advice(self) -> str | None:
        """Why the state is "failed", and what to do."""

    def start(self) -> None:
        """Begin to load; returns at once, `ready` is set later."""

    def stop(self) -> None:
        """End what was started, and wait for it."""


def open_embedder(settings: Settings) -> EmbedderService:
    """The embedding service, the person's own model or the default one; not started yet. Raises EmbeddingError."""
    if settings.embedding_url:
        from server.embedding.http import HttpEmbedder  # an HTTP client's memory only for those who use it

        return HttpEmbedder(settings.embedding_url, settings.embedding_model, settings.embedding_api_key)
    options = Options(threads=settings.embedding_threads, idle_seconds=60 * settings.embedding_idle_minutes)
    return LocalEmbedder(find_card(settings.embedding_model), options)
