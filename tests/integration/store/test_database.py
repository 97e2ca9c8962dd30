"""The pool: connections that the server has ended are replaced, and searches run with the settings that they count on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import LiteralString

import psycopg
import pytest

from server.memory.ports import StoreError
from server.store.database import Connection, Database
from server.store.schema import migrate


@pytest.fixture(scope="module")
def conninfo(fresh_database: Callable[[], str]) -> str:
    conninfo = fresh_database()
    migrate(conninfo)
    return conninfo


@pytest.fixture
def pool(conninfo: str) -> Iterator[Database]:
    database = Database(conninfo, size=1)
    database.open()
    yield database
    database.close()


def backend(pool: Database) -> int:
    with pool.statements() as connection:
        return connection.info.backend_pid


def test_a_connection_that_the_server_ended_is_not_lent(pool: Database, conninfo: str) -> None:
    first = backend(pool)
    with psycopg.connect(conninfo, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", [first])  # returns when it is gone
    assert backend(pool) != first


def test_a_living_connection_is_lent_again(pool: Database) -> None:
    assert backend(pool) == backend(pool)


def run(on: AbstractContextManager[Connection], *statements: LiteralString) -> None:
    with on as connection:
        for statement in statements:
            connection.execute(statement)


def test_each_statement_stands_alone(pool: Database) -> None:
    with pytest.raises(StoreError):
        run(pool.statements(), "CREATE TABLE kept (n integer)", "SELECT 1 / 0")
    with pool.statements() as connection:
        assert connection.execute("SELECT count(*) AS n FROM kept").fetchone() == {"n": 0}


def test_a_transaction_is_taken_back_whole(pool: Database) -> None:
    with pytest.raises(StoreError):
        run(pool.transaction(), "CREATE TABLE lost (n integer)", "SELECT 1 / 0")
    with pool.statements() as connection:
        assert connection.execute("SELECT to_regclass('lost') AS name").fetchone() == {"name": None}


def test_the_settings_of_searches_hold(pool: Database) -> None:
    """They are given before the module that knows them is loaded."""
    with pool.statements() as connection:
        connection.execute("SELECT '[1]'::vector <=> '[1]'::vector")
        for name, value in (("hnsw.iterative_scan", "relaxed_order"), ("hnsw.ef_search", "100"), ("max_parallel_workers_per_gather", "0")):
            assert connection.execute("SELECT current_setting(%s) AS value", [name]).fetchone() == {"value": value}
