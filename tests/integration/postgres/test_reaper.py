"""The process that stops Postgres when the server dies without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from server.locks import FileLock
from server.paths import Home
from server.postgres import processes, reaper
from server.postgres.cluster import Cluster
from server.postgres.reaping import dismiss, start_reaper
from tests.integration.postgres.conftest import ClusterFactory
from tests.integration.postgres.helpers import answer, python
from tests.programs import eventually

# A small server: takes the lock, starts reaper and Postgres, leaves its address, and waits for the end of its stdin.
SERVER = """
import os, sys
from pathlib import Path
from server.locks import FileLock
from server.paths import Home
from server.postgres.cluster import Cluster
from server.postgres.reaping import start_reaper
home = Home.at(Path(sys.argv[1]))
home.create()
lock = FileLock(home.lock_file)
assert lock.acquire(0)
cluster = Cluster(home)
reaper = start_reaper(home, cluster)
info = cluster.start()
home.runtime_file.write_text("{}")
print(cluster.pid, reaper.pid, info.host, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="process groups as on POSIX")
def test_killed_server_leaves_nothing_behind(tmp_path: Path, home: Home, cluster: Cluster) -> None:
    with python(SERVER, tmp_path / "home") as server:
        postmaster, watcher, host = answer(server)
        assert processes.find_postmaster(cluster.data) == psutil.Process(int(postmaster))
        assert "site-packages" not in Path(f"/proc/{watcher}/maps").read_text("utf-8", "replace") or sys.platform != "linux"
        reaping = psutil.Process(int(watcher))
        os.killpg(server.pid, signal.SIGINT)  # Ctrl+C goes to the whole group, and must not reach the reaper
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    eventually(lambda: not processes.is_alive(reaping))
    assert processes.find_postmaster(cluster.data) is None
    assert not Path(host).exists()
    assert not home.runtime_file.exists()
    assert "received fast shutdown request" in cluster.log.read_text("utf-8")
    assert not (cluster.data / "postmaster.pid").exists()
    assert FileLock(home.lock_file).acquire(0)


def test_new_server_keeps_the_database(home: Home, cluster: Cluster) -> None:
    with FileLock(home.lock_file):
        process = start_reaper(home, cluster)
        cluster.start()
        home.runtime_file.write_text("{}", "utf-8")
        process.communicate(timeout=20)  # closes the pipe without a byte, as a death would
        assert process.returncode == 0
        assert cluster.poll()
        assert home.runtime_file.exists()


def test_good_order_ends_it_at_once(home: Home, cluster: Cluster) -> None:
    with FileLock(home.lock_file):
        process = start_reaper(home, cluster)
        cluster.start()
        dismiss(process)
        assert process.returncode == 0
        assert cluster.poll()


def test_dismissing_a_dead_one_is_no_error(home: Home, cluster: Cluster) -> None:
    process = start_reaper(home, cluster)
    process.kill()
    process.wait()
    dismiss(process)


def test_knows_the_same_postmaster_as_the_server(cluster: Cluster) -> None:
    cluster.start()
    assert cluster.pid in reaper.find_postmasters(cluster.data)
    if subprocess.run(["ps", "-axww"], capture_output=True, check=False).returncode == 0:
        assert cluster.pid in reaper.find_postmasters(cluster.data, "darwin")
    cluster.stop()
    assert reaper.find_postmasters(cluster.data) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_halted_postmaster_stops_in_good_order(home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(home)
    cluster.start()
    psutil.Process(cluster.pid).suspend()
    reaper.reap(cluster.data, home.runtime_file, Path("pg_ctl"))
    assert not cluster.poll()
    assert "database system is shut down" in cluster.log.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_stuck_postmaster_is_killed(home: Home, make_cluster: ClusterFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = make_cluster(home)
    cluster.start()
    psutil.Process(cluster.pid).suspend()
    monkeypatch.setattr(signal, "SIGCONT", 0)  # as one that hangs in the kernel
    monkeypatch.setattr(reaper, "FAST_SECONDS", 0.2)
    monkeypatch.setattr(reaper, "IMMEDIATE_SECONDS", 0.2)
    reaper.reap(cluster.data, home.runtime_file, Path("pg_ctl"))
    assert not cluster.poll()


def test_nothing_to_reap(home: Home, cluster: Cluster) -> None:
    reaper.reap(cluster.data, home.runtime_file, Path("pg_ctl"))
