"""The owner's use cases over the real store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.jobs.registry import Jobs
from server.jobs.similar import SimilarPairs
from server.memory.memories import Memories
from server.memory.model import Limits
from server.memory.owner.memories import OwnerMemories
from server.store.database import Database
from server.store.owner import PostgresOwnerStore
from tests.support import WordEmbedder


@pytest.fixture
def owner_store(database: Database, owner: int, embedder: WordEmbedder) -> PostgresOwnerStore:
    """The store with the model that `embedder` is."""
    store = PostgresOwnerStore(database)
    store.use_model(owner, embedder.model)
    return store


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    """Work in the background."""
    jobs = Jobs()
    yield jobs
    jobs.stop()


@pytest.fixture
def mine(owner_store: PostgresOwnerStore, embedder: WordEmbedder, jobs: Jobs) -> OwnerMemories:
    """What the person can do."""
    return OwnerMemories(owner_store, embedder, Limits(), SimilarPairs(owner_store, jobs))


@pytest.fixture
def memories(owner_store: PostgresOwnerStore, embedder: WordEmbedder) -> Memories:
    """What assistants can do."""
    return Memories(owner_store, embedder, Limits())
