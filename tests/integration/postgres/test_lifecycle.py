"""Creating, starting and stopping a cluster."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg import errors, sql

from server.paths import Home
from server.postgres.cluster import Cluster
from server.postgres.initialise import EXTENSIONS
from server.postgres.launch import ConnectionInfo
from tests.integration.postgres.conftest import ClusterFactory


def test_first_start_creates_everything(empty_home: Home) -> None:
    messages: list[str] = []
    cluster = Cluster(empty_home, messages.append)
    assert (cluster.poll(), cluster.pid) == (False, None)
    info = cluster.start()
    try:
        assert cluster.poll()
        assert messages == [
            f"Creating the database in {cluster.data}; this happens once.",
            "Starting the database.",
            "Checking the processor.",
        ]
        with psycopg.connect(info.conninfo()) as connection:
            row = connection.execute("SELECT current_user, current_setting('is_superuser'), current_setting('server_encoding')").fetchone()
            assert row == ("ownsona", "off", "UTF8")
            assert connection.execute("SELECT lower('ÄÖÜ')").fetchone() == ("äöü",)
            assert {name for (name,) in connection.execute("SELECT extname FROM pg_extension")} >= set(EXTENSIONS)
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        assert cluster.data.stat().st_mode & 0o777 == 0o700
    finally:
        cluster.stop()
    assert not cluster.poll()
    assert not Path(info.host).exists()
    cluster.stop()


def test_second_start_keeps_rows_and_skips_the_canary(home: Home) -> None:
    messages: list[str] = []
    cluster = Cluster(home, messages.append)
    for number in range(2):
        info = cluster.start()
        with psycopg.connect(info.conninfo()) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
            connection.execute("INSERT INTO kept VALUES (%s)", [number])
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (number + 1,)
        cluster.stop()
    assert messages == ["Starting the database."] * 2


def test_password_is_kept_privately_and_shown_nowhere(cluster: Cluster) -> None:
    info = cluster.start()
    password = cluster.password_file.read_text("ascii").strip()
    assert info.password == password
    assert cluster.password_file.stat().st_mode & 0o777 == 0o600
    assert password not in cluster.log.read_text("utf-8")
    assert password not in " ".join(psutil.Process(cluster.pid).cmdline())
    for file in ("app.conf", "pg_hba.conf", "postgresql.conf"):
        assert password not in (cluster.data / file).read_text("utf-8")


def test_nobody_logs_in_without_the_password_or_as_superuser(cluster: Cluster) -> None:
    info = cluster.start()
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(ConnectionInfo(info.host, info.port, "wrong").conninfo())
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf"):
        psycopg.connect(ConnectionInfo(info.host, info.port, info.password, user="postgres", dbname="postgres").conninfo())
    assert Path(info.host).stat().st_mode & 0o777 == 0o700


def test_texts_do_not_reach_the_log(cluster: Cluster) -> None:
    secret = "my diary of 1997"
    info = cluster.start()
    with psycopg.connect(info.conninfo(), autocommit=True) as connection:
        connection.execute("CREATE TABLE t (body text UNIQUE)")
        connection.execute("INSERT INTO t VALUES (%s)", [secret])
        for statement in ("INSERT INTO t VALUES ({})", "SELECT {}::vector", "SELECT {}::int"):
            with pytest.raises(psycopg.Error):
                connection.execute(sql.SQL(statement).format(sql.Literal(secret)))
    cluster.stop()
    assert secret not in cluster.log.read_text("utf-8")


def test_new_databases_have_the_extensions(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE beside")
    with psycopg.connect(info.conninfo("beside")) as connection:
        assert connection.execute("SELECT '[1,2]'::vector <-> '[1,2]'").fetchone() == (0.0,)


def test_stop_does_not_wait_for_clients(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo()) as connection:
        connection.execute("SELECT 1")
        before = time.monotonic()
        cluster.stop()
        assert time.monotonic() - before < 10
        with pytest.raises(errors.AdminShutdown):
            connection.execute("SELECT 1")


def test_stop_by_another_object(home: Home, make_cluster: ClusterFactory) -> None:
    first = make_cluster(home)
    first.start()
    Cluster(home).stop()
    assert not first.poll()
    assert first.pid is None


def test_extensions_follow_new_programs(home: Home, make_cluster: ClusterFactory) -> None:
    checked = home.cluster / "checked"
    before = checked.read_text("ascii")
    checked.write_text("0123456789abcdef", "ascii")
    make_cluster(home).start()
    assert checked.read_text("ascii") == before
