"""One cluster is made per session; tests that are not about creation work on copies of its folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.paths import Home
from server.postgres import privileges
from server.postgres.binaries import find_bin_dir
from server.postgres.cluster import Cluster
from tests.integration.postgres.helpers import copy_cluster

ClusterFactory = Callable[[Home], Cluster]


@pytest.fixture(scope="session", autouse=True)
def _nobody_base() -> Iterator[None]:
    """Root without user namespaces keeps its clusters in a system folder; the tests use another one."""
    base = Path(tempfile.mkdtemp(prefix="ownsona-nobody-"))
    base.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privileges, "NOBODY_BASE", base)
        yield
    shutil.rmtree(base)


@pytest.fixture(scope="session", autouse=True)
def _sockets() -> Iterator[Path]:
    """A folder for temporary files that only these tests use."""
    with tempfile.TemporaryDirectory(prefix="own-") as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder).chmod(0o755)  # `nobody` must get through
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture(autouse=True)
def _no_leaks(_sockets: Path, template: Home) -> Iterator[None]:
    """No test leaves a folder for a socket behind."""
    yield
    assert list(_sockets.glob("ownsona-pg-*")) == []


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, _nobody_base: None) -> Home:
    """A home with a whole, stopped cluster. Do not start it: copy it."""
    home = Home.at(tmp_path_factory.mktemp("template"))
    cluster = Cluster(home)
    cluster.start()
    cluster.stop()
    return home


@pytest.fixture
def empty_home(tmp_path: Path) -> Home:
    """A home without anything."""
    return Home.at(tmp_path / "home")


@pytest.fixture
def home(template: Home, empty_home: Home) -> Iterator[Home]:
    """A home with a stopped cluster of its own, which takes 39 MB and is therefore removed after the test."""
    copy_cluster(template, empty_home)
    yield empty_home
    shutil.rmtree(empty_home.cluster)


@pytest.fixture
def make_cluster() -> Iterator[ClusterFactory]:
    """Clusters that are stopped at the end of the test."""
    made: list[Cluster] = []

    def make(home: Home) -> Cluster:
        made.append(Cluster(home))
        return made[-1]

    yield make
    for cluster in reversed(made):
        cluster.stop()


@pytest.fixture
def cluster(home: Home, make_cluster: ClusterFactory) -> Cluster:
    """A cluster that is not started yet."""
    return make_cluster(home)


@pytest.fixture
def bin_dir() -> Path:
    """Where the programs are."""
    return find_bin_dir()


needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount file systems and change accounts"
)
