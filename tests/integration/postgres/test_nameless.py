"""An account that has a number but no name, as in containers: PostgreSQL makes no cluster for it outside a user namespace."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest

from server.paths import Home
from server.postgres import privileges
from server.postgres.binaries import Programs
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from server.postgres.initialise import check_cluster
from tests.integration.postgres.conftest import ClusterFactory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="every account has a name there")


@pytest.fixture
def nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.setattr(privileges, "is_root", lambda: False)


@pytest.mark.usefixtures("nameless")
def test_in_a_namespace(empty_home: Home, bin_dir: Path, make_cluster: ClusterFactory) -> None:
    if not privileges.namespace_prefix(bin_dir):
        pytest.skip("user namespaces are refused here")
    cluster = make_cluster(empty_home)
    with psycopg.connect(cluster.start().conninfo()) as connection:
        assert connection.execute("SELECT '[1,2]'::vector::text").fetchone() == ("[1,2]",)
    again = make_cluster(empty_home)
    again.start()
    assert again.pid == cluster.pid, "adopted"


@pytest.mark.usefixtures("nameless")
def test_without_namespaces(empty_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privileges, "namespace_prefix", lambda bin_dir: ())
    with pytest.raises(PostgresError, match="a number but no name"):
        Cluster(empty_home).start()


def test_folder_of_a_nameless_owner(home: Home, bin_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called by its number."""

    def unknown(path: Path) -> str:
        raise KeyError(path)

    monkeypatch.setattr(Path, "owner", unknown)
    data = privileges.data_folder(home)
    number = data.stat().st_uid
    monkeypatch.setattr("os.geteuid", lambda: number + 1)
    with pytest.raises(PostgresError, match=f"belongs to the user {number}\\."):
        check_cluster(data, Programs(bin_dir))
