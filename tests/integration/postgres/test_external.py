"""A server of the person's own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from server.postgres import privileges
from server.postgres.binaries import Account, Programs
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from server.postgres.external import check_external
from server.postgres.launch import ConnectionInfo, free_port, new_socket_dir
from tests.integration.postgres.helpers import lets_in
from tests.programs import eventually

DEBIAN = Path("/usr/lib/postgresql/15/bin")


def test_good_server_passes(cluster: Cluster) -> None:
    check_external(cluster.start().conninfo())


def test_what_keeps_us_from_connecting_is_named(cluster: Cluster) -> None:
    info = cluster.start()
    wrong = ConnectionInfo(info.host, info.port, "hunter2")
    cases = {
        wrong.conninfo(): "refused the user name or the password",
        info.conninfo("absent"): "no such database",
        f"host=/nowhere user=x password={wrong.password}": "nothing listens",
        f"postgresql://x:{wrong.password}@127.0.0.1:{free_port()}/x": "nothing listens",
        f"postgresql://x:{wrong.password}@@host.invalid/x": "host is unknown",
        f"{wrong.password} oops": "not a valid address",
    }
    for conninfo, words in cases.items():
        with pytest.raises(PostgresError) as caught:
            check_external(conninfo)
        assert words in str(caught.value)
        assert "OWNSONA_DATABASE_URL" in str(caught.value)
        assert wrong.password not in str(caught.value)


def test_other_encoding_is_refused(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
    with pytest.raises(PostgresError, match="encoding LATIN1"):
        check_external(info.conninfo("latin"))


@pytest.fixture
def plain_server(tmp_path: Path) -> Iterator[str]:
    """The system's own PostgreSQL 15, which has no pgvector."""
    if not (DEBIAN / "postgres").exists():
        pytest.skip("no PostgreSQL 15 of the system")
    prefix = privileges.namespace_prefix(DEBIAN) if privileges.is_root() else ()
    if privileges.is_root() and not prefix:
        pytest.skip("root needs user namespaces for this")
    programs = Programs(DEBIAN, Account(prefix))
    assert (
        programs.run("initdb", "-D", str(tmp_path / "pg"), "-U", "me", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C").returncode
        == 0
    )
    folder = new_socket_dir(Account())
    arguments = ["-D", str(tmp_path / "pg"), "-k", str(folder), "-c", "listen_addresses="]
    conninfo = f"host={folder} user=me dbname=postgres"
    with (tmp_path / "log").open("wb") as log, programs.spawn("postgres", arguments, log) as process:
        try:
            eventually(lambda: lets_in(conninfo))
            yield conninfo
        finally:
            process.send_signal(2)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
    folder.rmdir()


def test_server_without_pgvector_is_explained(plain_server: str) -> None:
    with pytest.raises(PostgresError, match=r"has no pgvector\. Install pgvector 0\.8"):
        check_external(plain_server)
