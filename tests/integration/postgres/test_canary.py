"""The first flight of the vector module, and what follows when the processor cannot run it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from server.paths import Home
from server.postgres import canary
from server.postgres import cluster as cluster_module
from server.postgres.cluster import Cluster
from server.postgres.errors import PROCESSOR, PostgresError
from tests.integration.postgres.helpers import lets_in
from tests.programs import eventually


def test_flies_and_leaves_nothing(cluster: Cluster) -> None:
    with psycopg.connect(cluster.start().conninfo(), autocommit=True) as connection:
        canary.fly(connection)
        assert connection.execute("SELECT to_regclass('canary')").fetchone() == (None,)


def test_uses_the_indexes(cluster: Cluster) -> None:
    """Otherwise the scan of the index would go untested."""
    with psycopg.connect(cluster.start().conninfo(), autocommit=True) as connection:
        plans = []
        for statement in canary.STATEMENTS:
            if "ORDER BY" in statement:
                plans.append(str(connection.execute(f"EXPLAIN {statement}".encode()).fetchall()))
            connection.execute(statement.encode())
    assert len(plans) == 4
    assert all("Index Scan" in plan for plan in plans)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_backend_that_dies_of_an_instruction_names_the_remedy(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo(), autocommit=True) as connection, psycopg.connect(info.conninfo(), autocommit=True) as watcher:
        pid = connection.info.backend_pid

        def is_asleep() -> bool:
            return watcher.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'", [pid]).fetchone() is not None

        def die() -> None:
            eventually(is_asleep)
            os.kill(pid, signal.SIGILL)

        thread = threading.Thread(target=die)
        thread.start()
        with pytest.raises(PostgresError, match="OWNSONA_DATABASE_URL") as caught:
            canary.fly(connection, ["SELECT pg_sleep(60)"])
        thread.join()
        assert str(caught.value) == PROCESSOR
    eventually(lambda: lets_in(info.conninfo()))


def test_other_errors_of_the_canary_are_not_blamed_on_the_processor(cluster: Cluster) -> None:
    with psycopg.connect(cluster.start().conninfo(), autocommit=True) as connection, pytest.raises(psycopg.errors.QueryCanceled):
        canary.fly(connection, ["SET statement_timeout = 1", "SELECT pg_sleep(60)"])


def test_failed_canary_stops_the_database_and_is_tried_again(home: Home, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.cluster / "checked").unlink()

    fly = canary.fly
    with monkeypatch.context() as patch:
        patch.setattr(canary, "fly", lambda connection: fly(connection, ["SELECT pg_terminate_backend(pg_backend_pid())"]))
        with pytest.raises(PostgresError, match="processor"):
            cluster.start()
    assert not cluster.poll()
    assert not (home.cluster / "checked").exists()
    cluster.start()
    assert (home.cluster / "checked").exists()


def test_processor_that_lacks_instructions_is_refused_before_anything_is_made(empty_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "missing_instructions", lambda: frozenset({"avx2"}))
    with pytest.raises(PostgresError, match="OWNSONA_DATABASE_URL"):
        Cluster(empty_home).start()
    assert [path for path in Path(empty_home.cluster).iterdir() if path.name != "postgres.lock"] == []
