"""One running embedder for all tests that do not end its worker, and fresh ones for those that do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.embedding.cards import LocalModel, find_card
from server.embedding.client import LocalEmbedder, Options

START_SECONDS = 60.0

Start = Callable[..., LocalEmbedder]


@contextmanager
def running(local: LocalModel, options: Options | None = None) -> Iterator[LocalEmbedder]:
    """An embedder that is ready, and is stopped afterwards."""
    embedder = LocalEmbedder(local, options)
    embedder.start()
    try:
        assert embedder.ready.wait(START_SECONDS), embedder.advice
        yield embedder
    finally:
        embedder.stop()


@pytest.fixture(scope="session")
def embedder() -> Iterator[LocalEmbedder]:
    """The default model."""
    with running(find_card(None)) as started:
        yield started


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts embedders that one test may do anything to."""
    with ExitStack() as stack:
        yield lambda options=None, local=None: stack.enter_context(running(local or find_card(None), options))


@pytest.fixture(scope="session")
def reference() -> list[dict[str, Any]]:
    """Texts with ids and unit vectors of llama.cpp's own tokenizer and the model with its whole vocabulary in one file."""
    found: list[dict[str, Any]] = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))
    return found


def worker_of(embedder: LocalEmbedder, other_than: int | None = None) -> int:
    """The process id of the embedder's worker, once there is one, or another one."""
    with embedder._changed:
        assert embedder._changed.wait_for(lambda: embedder.worker_pid not in (None, other_than), START_SECONDS)
        assert embedder.worker_pid is not None
        return embedder.worker_pid


def wait_until_busy(embedder: LocalEmbedder) -> None:
    """Return when the worker has work."""
    with embedder._changed:
        assert embedder._changed.wait_for(lambda: bool(embedder._in_flight), START_SECONDS)
