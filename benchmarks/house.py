"""The product in one process for measuring: its Postgres, its model, its tools, in a home that is thrown away."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.embedding.service import open_embedder
from server.jobs.derived import DerivedJobs
from server.memory.memories import Memories
from server.memory.model import Limits
from server.memory.ports import Embedder
from server.paths import Home
from server.postgres.cluster import Cluster
from server.settings import Settings
from server.store.database import Database
from server.store.schema import migrate
from server.store.store import PostgresStore
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset

OWNER = 1


@dataclass(frozen=True, slots=True)
class House:
    """What a measurement needs."""

    store: PostgresStore
    embedder: Embedder
    toolset: MemoriesToolset
    jobs: DerivedJobs
    database: Database

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's payload. Raises RuntimeError where it failed."""
        result = self.toolset.call(tool, arguments, Caller(OWNER, "benchmark"))
        if result.is_error:
            raise RuntimeError(result.payload["error"])
        return result.payload


@contextmanager
def house() -> Iterator[House]:
    """Start everything, and leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix="ownsona-bench-") as folder:
        home = Home.at(Path(folder))
        home.create()
        cluster = Cluster(home)
        conninfo = cluster.start().conninfo()
        embedder = open_embedder(Settings.read())
        embedder.start()
        try:
            if not embedder.ready.wait(60):
                raise RuntimeError(embedder.advice)
            migrate(conninfo)
            database = Database(conninfo)
            database.open()
            store = PostgresStore(database)
            store.use_model(OWNER, embedder.model)
            jobs = DerivedJobs(database, OWNER, store.model, embedder)
            yield House(store, embedder, MemoriesToolset(Memories(store, embedder, Limits())), jobs, database)
            database.close()
        finally:
            embedder.stop()
            cluster.stop()
