"""Odd folders: names, lengths, modes, and contents that are not ours."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest

from server.paths import Home
from server.postgres.binaries import Programs, copy_programs
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from tests.integration.postgres.conftest import ClusterFactory
from tests.integration.postgres.helpers import copy_cluster

ODD = 'Größe, 日本 🐘 it\'s "50 %" \\ #1'


def test_creation_in_a_folder_with_an_odd_name(tmp_path: Path, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(Home.at(tmp_path / ODD))
    with psycopg.connect(cluster.start().conninfo()) as connection:
        assert connection.execute("SELECT current_setting('data_directory')").fetchone() == (str(cluster.data),)


def test_path_longer_than_a_socket_allows(tmp_path: Path, template: Home, make_cluster: ClusterFactory) -> None:
    home = Home.at(tmp_path / ("long " * 42).strip())
    copy_cluster(template, home)
    cluster = make_cluster(home)
    assert len(str(cluster.data)) > 210
    psycopg.connect(cluster.start().conninfo()).close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows uses a loopback port")
def test_long_folder_for_temporary_files(tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("t" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert len(cluster.start().host) < 80


def test_programs_in_a_folder_with_an_odd_name(
    tmp_path: Path, home: Home, bin_dir: Path, make_cluster: ClusterFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = copy_programs(bin_dir, tmp_path / ODD)
    monkeypatch.setenv("OWNSONA_POSTGRES_BIN", str(moved))
    info = make_cluster(home).start()
    psycopg.connect(info.conninfo()).close()
    for tool in ("pg_dump", "pg_restore", "pg_ctl"):
        assert Programs(moved).run(tool, "-V").returncode == 0, "its libraries are there too"


def test_symbolic_link_leads_to_the_same_cluster(tmp_path: Path, home: Home, make_cluster: ClusterFactory) -> None:
    first = make_cluster(home)
    first.start()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    second = make_cluster(Home.at(tmp_path / "link"))
    second.start()
    assert first.pid == second.pid


def test_open_mode_is_repaired(cluster: Cluster) -> None:
    cluster.data.chmod(0o755)
    cluster.start()
    assert cluster.data.stat().st_mode & 0o777 == 0o700


def test_group_mode_is_left_alone(cluster: Cluster) -> None:
    cluster.data.chmod(0o750)
    cluster.start()
    assert cluster.data.stat().st_mode & 0o777 == 0o750


def test_half_made_cluster_is_cleared_away(empty_home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(empty_home)
    leftover = cluster.data.with_name("data.new-abc")
    leftover.mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n", "ascii")
    cluster.data.mkdir()
    cluster.start()
    assert not leftover.exists()


def test_foreign_files_are_not_touched(empty_home: Home) -> None:
    cluster = Cluster(empty_home)
    cluster.data.mkdir(parents=True)
    (cluster.data / "thesis.odt").write_text("x", "ascii")
    with pytest.raises(PostgresError, match=r"holds files but no database. Move it away"):
        cluster.start()
    assert (cluster.data / "thesis.odt").exists()


def test_other_major_version_is_explained(cluster: Cluster) -> None:
    (cluster.data / "PG_VERSION").write_text("17\n", "ascii")
    with pytest.raises(PostgresError, match="written by PostgreSQL 17, and this OwnSona brings 18"):
        cluster.start()


@pytest.mark.parametrize("content", [None, "", "short\n", "\udcff"])
def test_lost_password_is_replaced(cluster: Cluster, content: str | None) -> None:
    if content is None:
        cluster.password_file.unlink()
    else:
        cluster.password_file.write_text(content, "utf-8", "surrogateescape")
    info = cluster.start()
    assert len(info.password) == 64
    psycopg.connect(info.conninfo()).close()


def test_home_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "ascii")
    with pytest.raises(PostgresError, match="choose another folder with OWNSONA_HOME"):
        Cluster(Home.at(tmp_path / "file" / "home")).start()
