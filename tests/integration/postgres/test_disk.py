"""Full and read-only disks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from server.paths import Home
from server.postgres import disk
from server.postgres.cluster import Cluster
from server.postgres.errors import DISK_FULL, UNREACHABLE, PostgresError, explain
from tests.integration.postgres.conftest import needs_root
from tests.integration.postgres.helpers import copy_cluster, mounted


def fill(connection: psycopg.Connection) -> tuple[int, str]:
    """Write until the disk is full: the number of acknowledged rows, and what the person is told."""
    acknowledged = 0
    try:
        while True:
            connection.execute("INSERT INTO t SELECT convert_to(repeat('x', 100000), 'UTF8') FROM generate_series(1, 5)")
            acknowledged += 5
    except psycopg.Error as error:
        return acknowledged, explain(error)


@needs_root
def test_full_disk_at_creation_leaves_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "20m"):
        cluster = Cluster(Home.at(tmp_path / "small" / "home"))
        with pytest.raises(PostgresError) as caught:
            cluster.start()
        assert DISK_FULL in str(caught.value)
        assert sorted(path.name for path in cluster.data.parent.iterdir()) == ["postgres.lock"]


@needs_root
def test_full_disk_in_use_loses_nothing(tmp_path: Path, template: Home) -> None:
    with mounted(tmp_path / "small", "110m"):
        home = Home.at(tmp_path / "small" / "home")
        copy_cluster(template, home)
        ballast = tmp_path / "small" / "ballast"
        ballast.write_bytes(b"\0" * 30_000_000)
        cluster = Cluster(home)
        try:
            with psycopg.connect(cluster.start().conninfo(), autocommit=True) as connection:
                connection.execute("CREATE TABLE t (body bytea STORAGE EXTERNAL)")
                acknowledged, message = fill(connection)
            assert acknowledged > 0
            assert message in (DISK_FULL, UNREACHABLE)
            ballast.unlink()
            cluster.stop()
            with psycopg.connect(cluster.start().conninfo()) as connection:
                row = connection.execute("SELECT count(*) FROM t WHERE length(body) = 100000").fetchone()
                assert row is not None
                assert row[0] >= acknowledged
        finally:
            cluster.stop()


@needs_root
def test_too_full_to_start_is_explained(tmp_path: Path, template: Home) -> None:
    with mounted(tmp_path / "small", "80m"):
        home = Home.at(tmp_path / "small" / "home")
        copy_cluster(template, home)
        ballast = tmp_path / "small" / "ballast"
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(tmp_path / "small").free)
        with pytest.raises(PostgresError) as caught:
            Cluster(home).start()
        assert "full" in str(caught.value) or "No space left" in str(caught.value)
        ballast.unlink()
        cluster = Cluster(home)
        cluster.start()
        cluster.stop()


@needs_root
def test_read_only_disk_is_explained(tmp_path: Path, template: Home) -> None:
    with mounted(tmp_path / "small", "80m"):
        home = Home.at(tmp_path / "small" / "home")
        copy_cluster(template, home)
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "small")], check=True)
        with pytest.raises(PostgresError, match=r"Read-only file system.*OWNSONA_HOME"):
            Cluster(home).start()


def test_read_only_data_folder_is_repaired(cluster: Cluster) -> None:
    """The owner's rights are part of the mode that Postgres wants."""
    cluster.data.chmod(0o500)
    cluster.start()
    assert cluster.data.stat().st_mode & 0o777 == 0o700


def test_warning_when_the_disk_is_nearly_full(empty_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert disk.free_bytes(empty_home) > 0
    monkeypatch.setattr(disk, "WARN_BYTES", 0)
    assert disk.disk_warning(empty_home) is None
    monkeypatch.setattr(disk, "WARN_BYTES", 1 << 62)
    assert "MB are free" in (disk.disk_warning(empty_home) or "")
