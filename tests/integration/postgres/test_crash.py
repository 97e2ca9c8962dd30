"""Killed postmasters, killed servers, stale files, and two starts at once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from server.paths import Home
from server.postgres import processes
from server.postgres.binaries import copy_programs
from server.postgres.cluster import Cluster
from server.postgres.errors import UNREACHABLE, PostgresError, explain
from server.postgres.launch import ConnectionInfo
from server.postgres.postmaster import FAST_SECONDS
from tests.integration.postgres.conftest import ClusterFactory
from tests.integration.postgres.helpers import STARTER, answer, lets_in, python
from tests.programs import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc as on POSIX")


class Writers:
    """Two connections that insert until the server goes away, and count what was acknowledged."""

    def __init__(self, info: ConnectionInfo) -> None:
        self.acknowledged = 0
        self.messages: list[str] = []
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._write, args=(info,)) for _ in range(2)]
        for thread in self._threads:
            thread.start()

    def _write(self, info: ConnectionInfo) -> None:
        try:
            with psycopg.connect(info.conninfo(), autocommit=True) as connection:
                while True:
                    connection.execute("INSERT INTO written (v) SELECT array_agg(random())::vector(8) FROM generate_series(1, 8)")
                    with self._changed:
                        self.acknowledged += 1
                        self._changed.notify_all()
        except psycopg.Error as error:
            self.messages.append(explain(error))

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.acknowledged >= count, timeout=60)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def test_acknowledged_rows_survive_a_killed_postmaster(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo()) as connection:
        connection.execute("CREATE TABLE written (id bigserial PRIMARY KEY, v vector(8))")
        connection.execute("CREATE INDEX ON written USING hnsw (v vector_l2_ops)")
    promised = 0
    for _ in range(2):
        writers = Writers(info)
        writers.wait_for(200)
        kill(cluster.pid)
        eventually(lambda: not cluster.poll())
        again = cluster.start()  # at once: its children may still be alive
        writers.join()
        assert set(writers.messages) == {UNREACHABLE}
        assert again == info, "the pool's address stays good"
        promised += writers.acknowledged
        with psycopg.connect(again.conninfo()) as connection:
            row = connection.execute("SELECT count(*) FROM written").fetchone()
            assert row is not None
            assert row[0] >= promised
            promised = row[0]
            connection.execute("SET LOCAL enable_seqscan = off")
            assert len(connection.execute("SELECT id FROM written ORDER BY v <-> '[1,1,1,1,1,1,1,1]' LIMIT 10").fetchall()) == 10


def test_start_at_once_after_everything_was_killed(cluster: Cluster) -> None:
    cluster.start()
    assert cluster.pid is not None
    family = [psutil.Process(cluster.pid), *psutil.Process(cluster.pid).children()]
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):  # they end by themselves when the postmaster is gone
            process.kill()
    cluster.start()
    assert cluster.poll()


def test_killed_backend_leaves_the_postmaster_alive(cluster: Cluster) -> None:
    info = cluster.start()
    before = cluster.pid
    with psycopg.connect(info.conninfo()) as connection:
        kill(connection.info.backend_pid)
        with pytest.raises(psycopg.OperationalError) as caught:
            connection.execute("SELECT 1")
        assert explain(caught.value) == UNREACHABLE
    eventually(lambda: lets_in(info.conninfo()))
    assert cluster.pid == before


def test_stop_right_after_a_backend_was_killed(cluster: Cluster) -> None:
    info = cluster.start()
    with psycopg.connect(info.conninfo()) as connection:
        kill(connection.info.backend_pid)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    before = time.monotonic()
    cluster.stop()
    assert time.monotonic() - before < FAST_SECONDS, "it does not sit out the hanging fast stop"
    psycopg.connect(cluster.start().conninfo()).close()


def test_running_postmaster_of_a_dead_server_is_adopted(tmp_path: Path, home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(home)
    with python(STARTER, tmp_path / "home") as server:
        pid, host = answer(server)
        server.kill()
    info = cluster.start()
    assert (cluster.pid, info.host) == (int(pid), host)
    psycopg.connect(info.conninfo()).close()
    cluster.stop()
    assert processes.find_postmaster(cluster.data) is None
    assert not Path(host).exists()


def test_unreachable_postmaster_is_replaced(tmp_path: Path, home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(home)
    with python(STARTER, tmp_path / "home") as server:
        pid, host = answer(server)
        server.kill()
    (Path(host) / ".s.PGSQL.5432").unlink()
    cluster.password_file.unlink()
    psycopg.connect(cluster.start().conninfo()).close()
    assert cluster.pid != int(pid)
    assert not Path(host).exists()


def test_postmaster_of_replaced_programs_is_replaced(
    tmp_path: Path, home: Home, bin_dir: Path, make_cluster: ClusterFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_cluster(home), make_cluster(home)
    first.start()
    before = first.pid
    monkeypatch.setenv("OWNSONA_POSTGRES_BIN", str(copy_programs(bin_dir, tmp_path / "programs")))
    second.start()
    assert second.pid != before


def test_two_processes_start_at_once(tmp_path: Path, home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(home)
    with python(STARTER, tmp_path / "home") as first, python(STARTER, tmp_path / "home") as second:
        assert answer(first) == answer(second)
    cluster.start()


def test_two_processes_create_at_once(tmp_path: Path, empty_home: Home, make_cluster: ClusterFactory) -> None:
    cluster = make_cluster(empty_home)
    with python(STARTER, tmp_path / "home") as first, python(STARTER, tmp_path / "home") as second:
        assert answer(first) == answer(second)
    cluster.start()


@pytest.mark.parametrize("content", ["", "garbage", "{own}\n", "{child}\n{data}\n1\n5432\n/nowhere\n\n1 2\nready\n"])
def test_stale_pid_file_does_not_keep_it_from_starting(cluster: Cluster, content: str) -> None:
    """Also when the number now belongs to a live process of the same user, for which Postgres itself would refuse."""
    with subprocess.Popen([sys.executable, "-c", "input()", "postgres", "-D", str(cluster.data)], stdin=subprocess.PIPE) as stranger:
        text = content.format(own=os.getpid(), child=stranger.pid, data=cluster.data)
        (cluster.data / "postmaster.pid").write_text(text, "utf-8")
        psycopg.connect(cluster.start().conninfo()).close()
        assert stranger.poll() is None
        stranger.communicate(b"\n")


def test_zombie_is_not_a_postmaster(cluster: Cluster) -> None:
    cluster.start()
    process = psutil.Process(cluster.pid)
    process.kill()
    eventually(lambda: not processes.is_alive(process))
    assert processes.find_postmaster(cluster.data) is None
    assert not cluster.poll()


def test_halted_processes_stop_in_good_order(cluster: Cluster) -> None:
    """Somebody has sent SIGSTOP: they are let run again, flush everything, and are gone well before the patience ends."""
    cluster.start()
    process = psutil.Process(cluster.pid)
    for one in [process, *process.children()]:
        with contextlib.suppress(psutil.NoSuchProcess):  # the one that has served the first login
            one.suspend()
    before = time.monotonic()
    cluster.stop()
    assert time.monotonic() - before < FAST_SECONDS
    assert "database system is shut down" in cluster.log.read_text("utf-8")


def test_stuck_postmaster_is_killed_in_the_end(cluster: Cluster) -> None:
    cluster.start()
    process = psutil.Process(cluster.pid)
    process.suspend()
    before = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_continue", lambda process: None)  # as one that hangs in the kernel
        patch.setattr(processes, "IMMEDIATE_SECONDS", 0.3)
        processes.stop_postmaster(process, cluster.data, cluster.settle().programs, patience=0.3)
    assert time.monotonic() - before < 10
    assert processes.find_postmaster(cluster.data) is None


def test_start_that_takes_too_long_is_ended(cluster: Cluster) -> None:
    with pytest.raises(PostgresError, match="not ready in time"):
        cluster.start(timeout=0.0)
    assert processes.find_postmaster(cluster.data) is None
    assert not cluster.poll()


def test_failed_start_names_the_reason_and_the_log(cluster: Cluster) -> None:
    with (cluster.data / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write("shared_buffers = 'much'\n")
    with pytest.raises(PostgresError, match=r"did not start\. PostgreSQL says: .*shared_buffers.*postgres\.log"):
        cluster.start()
    assert not cluster.poll()


def test_nothing_listens_on_the_network(cluster: Cluster) -> None:
    cluster.start()
    connections = psutil.Process(cluster.pid).net_connections("inet")
    assert [entry for entry in connections if entry.family in (socket.AF_INET, socket.AF_INET6)] == []
