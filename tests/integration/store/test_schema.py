"""Migrations: numbered without gaps, applied once, by one server at a time, never backwards."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from server.memory.ports import StoreError
from server.store.schema import migrate, migrations

Fresh = Callable[[], str]


def test_numbers_have_no_gaps() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))


def test_twice_changes_nothing(fresh_database: Fresh) -> None:
    conninfo = fresh_database()
    assert migrate(conninfo) == migrate(conninfo) == len(migrations())


def test_two_servers_at_once(fresh_database: Fresh) -> None:
    conninfo = fresh_database()
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(migrate(conninfo))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [len(migrations())] * 4


def test_a_newer_database_is_refused(fresh_database: Fresh) -> None:
    conninfo = fresh_database()
    migrate(conninfo)
    with psycopg.connect(conninfo) as connection:
        connection.execute("INSERT INTO schema_migrations (number) VALUES (9999)")
    with pytest.raises(StoreError, match="newer OwnSona"):
        migrate(conninfo)


def test_owner_stands_first_in_every_key(fresh_database: Fresh) -> None:
    conninfo = fresh_database()
    migrate(conninfo)
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(
            """SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
                 JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
                 JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                WHERE i.indisunique AND c.relname <> 'schema_migrations'"""
        ).fetchall()
    assert rows
    assert {name for _, name in rows} == {"owner_id"}
