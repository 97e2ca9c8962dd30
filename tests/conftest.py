"""One real Postgres for the whole run, and an owner of its own for each test."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from server.jobs.backups import Source
from server.memory.memories import Memories
from server.memory.model import Actor, Limits
from server.paths import Home
from server.postgres.binaries import find_bin_dir
from server.postgres.cluster import Cluster
from server.postgres.privileges import choose_place
from server.store.database import Database
from server.store.schema import migrate
from server.store.store import PostgresStore
from server.toolsets.base import Caller, ToolResult
from server.toolsets.memories.toolset import MemoriesToolset
from tests import without_qt
from tests.support import WordEmbedder

pytest_plugins = ["tests.without_qt"] if without_qt.reason() else ["pytestqt.plugin"]

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
_owners = itertools.count(1000)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with contracts and development data, which is not part of the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder with contracts and development data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def contract(shared: Path) -> dict[str, Any]:
    """Every tool's parameters as the contract lists them, by toolset and name."""
    tools: dict[str, Any] = json.loads((shared / "contracts" / "tools.json").read_text(encoding="utf-8"))
    return tools


@pytest.fixture(scope="session")
def server_conninfo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """How to reach a database by name: on `OWNSONA_DATABASE_URL`'s server where it is set, else on an embedded cluster."""
    url = os.environ.get("OWNSONA_DATABASE_URL")
    if url:
        yield lambda name: make_conninfo(url, dbname=name)
        return
    home = Home.at(tmp_path_factory.mktemp("cluster"))
    home.create()
    cluster = Cluster(home)
    info = cluster.start()
    yield info.conninfo
    cluster.stop()


@pytest.fixture(scope="session")
def fresh_database(server_conninfo: Callable[[str], str]) -> Iterator[Callable[[], str]]:
    """Makes an empty database and returns its conninfo."""
    made: list[str] = []

    def make() -> str:
        name = f"test_{uuid4().hex}"
        with psycopg.connect(server_conninfo("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template1").format(sql.Identifier(name)))
        made.append(name)
        return server_conninfo(name)

    yield make
    with psycopg.connect(server_conninfo("postgres"), autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def database(fresh_database: Callable[[], str]) -> Iterator[Database]:
    """A migrated database that all tests share; each has an owner of its own in it."""
    conninfo = fresh_database()
    migrate(conninfo)
    database = Database(conninfo)
    database.open()
    yield database
    database.close()


@pytest.fixture
def source(fresh_database: Callable[[], str]) -> Source:
    """A migrated database of its own, with the programs that back it up."""
    conninfo = fresh_database()
    migrate(conninfo)
    # The account of the embedded cluster, or any where the database is elsewhere.
    place = choose_place(Home.at(Path(tempfile.gettempdir()) / "ownsona-tests"), find_bin_dir())
    return Source(conninfo, place.programs, Path(tempfile.gettempdir()))


@pytest.fixture
def owner() -> int:
    """An owner that no other test has."""
    return next(_owners)


@pytest.fixture
def person(owner: int) -> Actor:
    """The owner in the window."""
    return Actor(owner, "person", "owner")


@pytest.fixture
def client(owner: int) -> Actor:
    """An assistant that acts for the owner."""
    return Actor(owner, "client", "test client")


@pytest.fixture
def embedder() -> WordEmbedder:
    """For tests that are about something else than embeddings; those about recall take `model`."""
    return WordEmbedder()


@pytest.fixture
def store(database: Database, owner: int, embedder: WordEmbedder) -> PostgresStore:
    """The store with the model that `embedder` is."""
    store = PostgresStore(database)
    store.use_model(owner, embedder.model)
    return store


@pytest.fixture
def memories(store: PostgresStore, embedder: WordEmbedder) -> Memories:
    """The domain over the real store."""
    return Memories(store, embedder, Limits())


@pytest.fixture
def toolset(memories: Memories) -> MemoriesToolset:
    """The memories contract over the real store."""
    return MemoriesToolset(memories)


@pytest.fixture
def call(toolset: MemoriesToolset, owner: int) -> Callable[..., dict[str, Any]]:
    """Call a tool and get its payload, which must be a success."""

    def run(tool: str, **arguments: Any) -> dict[str, Any]:
        result = toolset.call(tool, arguments, Caller(owner, "test client"))
        assert result.payload.get("ok") is True, result.payload
        assert not result.is_error
        return result.payload

    return run


@pytest.fixture
def refused(toolset: MemoriesToolset, owner: int) -> Callable[..., dict[str, Any]]:
    """Call a tool and get its error, which must be in the contract's form."""

    def run(tool: str, **arguments: Any) -> dict[str, Any]:
        result: ToolResult = toolset.call(tool, arguments, Caller(owner, "test client"))
        assert result.is_error
        assert result.payload["ok"] is False
        error: dict[str, Any] = result.payload["error"]
        assert set(error) <= {"code", "message", "detail"}
        assert error["message"].endswith((".", "!")), error
        return error

    return run
