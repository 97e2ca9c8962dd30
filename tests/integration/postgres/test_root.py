"""Root: in a user namespace, else as `nobody`."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import psycopg
import pytest

from server.paths import Home
from server.postgres import privileges
from server.postgres.binaries import copy_programs
from server.postgres.cluster import Cluster
from server.postgres.doctor import checks
from server.postgres.errors import PostgresError
from tests.integration.postgres.conftest import ClusterFactory, needs_root

pytestmark = needs_root


@pytest.fixture
def no_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privileges, "namespace_prefix", lambda bin_dir: ())


def test_in_a_namespace_everything_belongs_to_root(home: Home, bin_dir: Path, cluster: Cluster) -> None:
    if not privileges.namespace_prefix(bin_dir):
        pytest.skip("user namespaces are refused here")
    cluster.start()
    process = psutil.Process(cluster.pid)
    assert process.uids().effective == 0, "as seen from outside"
    assert {path.stat().st_uid for path in cluster.data.rglob("*")} == {0}


def test_namespaces_that_are_refused_are_noticed(bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unshare").write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n", "ascii")
    (tmp_path / "unshare").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert privileges.namespace_prefix(bin_dir) == ()
    (tmp_path / "unshare").unlink()
    assert privileges.namespace_prefix(bin_dir) == ()


@pytest.mark.usefixtures("no_namespaces")
def test_as_nobody_with_unreachable_home_and_programs(
    tmp_path: Path, empty_home: Home, bin_dir: Path, make_cluster: ClusterFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tmp_path can be entered by root alone."""
    monkeypatch.setenv("OWNSONA_POSTGRES_BIN", str(copy_programs(bin_dir, tmp_path / "programs")))
    cluster = make_cluster(empty_home)
    info = cluster.start()
    with psycopg.connect(info.conninfo()) as connection:
        connection.execute("CREATE TABLE kept (n int)")
    process = psutil.Process(cluster.pid)
    assert process.username() == "nobody"
    assert privileges.NOBODY_BASE in cluster.data.parents
    assert cluster.data.parent.stat().st_mode & 0o777 == 0o700
    assert Path(info.host).owner() == "nobody"
    assert process.exe().startswith(str(privileges.NOBODY_BASE)), "a copy, as the original is out of reach"
    again = make_cluster(empty_home)
    again.start()
    assert again.pid == process.pid, "adopted"
    assert {check.name for check in checks(empty_home) if not check.ok} == {"database process"}
    again.stop()
    with monkeypatch.context() as patch:
        patch.setattr(privileges, "namespace_prefix", lambda bin_dir: ("false",))
        with psycopg.connect(make_cluster(empty_home).start().conninfo()) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,), "the place that has the data wins"


@pytest.mark.usefixtures("no_namespaces")
def test_data_made_in_a_namespace_is_not_shadowed_by_an_empty_database(tmp_path: Path, empty_home: Home) -> None:
    cluster = Cluster(empty_home)
    cluster.data.mkdir(parents=True)
    (cluster.data / "PG_VERSION").write_text("18\n", "ascii")
    with pytest.raises(PostgresError, match="no longer allows user namespaces"):
        cluster.start()


def test_home_of_another_user_is_explained(home: Home, cluster: Cluster, bin_dir: Path) -> None:
    if not privileges.namespace_prefix(bin_dir):
        pytest.skip("user namespaces are refused here")
    for path in (cluster.data, *cluster.data.rglob("*")):
        os.chown(path, 65534, 65534)
    with pytest.raises(PostgresError, match="belongs to the user nobody"):
        cluster.start()
    for path in (cluster.data, *cluster.data.rglob("*")):
        os.chown(path, 0, 0)
