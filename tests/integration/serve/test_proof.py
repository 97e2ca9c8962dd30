"""The promises of the first page: nothing acknowledged is lost, nothing stays behind, nothing leaves this computer."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

import psutil
import pytest

from server import joining
from server.paths import Home
from tests.integration.serve.support import call, family, gone, serve
from tests.programs import Program, eventually

ROUNDS = 2


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A fresh home, in a path with a space and letters of several scripts."""
    return Home.at(tmp_path / "Zoë Müller データ")


def worker(server: Program) -> psutil.Process:
    """The process that holds the model."""
    return next(one for one in family(server) if "server.embedding.worker" in " ".join(one.cmdline()))


def postmaster(server: Program) -> psutil.Process:
    """The parent of all Postgres processes."""
    return next(one for one in family(server) if one.name().startswith("postgres") and "-D" in one.cmdline())


class Writer:
    """Stores numbered facts one after the other, and keeps those that were acknowledged."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._stop = threading.Event()
        self._more = threading.Condition()
        self.acknowledged: dict[int, str] = {}
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for number in itertools.count():
            if self._stop.is_set():
                return
            text = f"Locker {number} of the station holds parcel {number * 7 + 1}."
            try:
                stored = call(self._home, "remember", text=text, dedup_policy="insert")
            except (OSError, HTTPException, json.JSONDecodeError, KeyError, AssertionError):
                continue  # the server is down: this fact was not acknowledged
            if stored["ok"]:
                with self._more:
                    self.acknowledged[stored["memory_id"]] = text
                    self._more.notify_all()

    def wait_for_more(self, count: int = 15) -> None:
        """Until so many more are acknowledged."""
        with self._more:
            target = len(self.acknowledged) + count
            assert self._more.wait_for(lambda: len(self.acknowledged) >= target, 60)

    def stop(self) -> None:
        """End after the fact at hand."""
        self._stop.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


def kill_server(server: Program) -> None:
    server.process.kill()
    server.end()


def kill_postgres(server: Program) -> None:
    postmaster(server).kill()


def kill_worker(server: Program) -> None:
    worker(server).kill()


def kill_everything(server: Program) -> None:
    for process in family(server):
        process.kill()
    server.end()


@pytest.mark.parametrize("kill", [kill_postgres, kill_worker])
def test_nothing_acknowledged_is_lost_when_a_child_is_killed(home: Home, kill: Callable[[Program], None]) -> None:
    with serve(home) as server:
        server.line()
        writer = Writer(home)
        for _ in range(ROUNDS):
            writer.wait_for_more()
            kill(server)
        writer.wait_for_more()
        writer.stop()
        check_all_there(home, writer)
        processes = family(server)
        server.process.terminate()
        assert server.end(10) == 0
        assert gone(processes)


@pytest.mark.parametrize("kill", [kill_server, kill_everything])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(home: Home, kill: Callable[[Program], None]) -> None:
    writer = None
    for _ in range(ROUNDS):
        with serve(home) as server:
            server.line()
            writer = writer or Writer(home)
            writer.wait_for_more()
            processes = family(server)
            kill(server)
            eventually(lambda processes=processes: gone(processes))  # type: ignore[misc]  # bound now, called now
    assert writer is not None
    writer.stop()
    with serve(home) as server:
        server.line()
        check_all_there(home, writer)


def check_all_there(home: Home, writer: Writer) -> None:
    assert len(writer.acknowledged) >= 15 * ROUNDS
    for memory_id, text in writer.acknowledged.items():
        assert call(home, "get_memory", id=memory_id)["memory"]["text"] == text
    last_id, last_text = max(writer.acknowledged.items())
    assert last_id in [match["id"] for match in call(home, "recall", query=last_text, limit=50)["matches"]]


def test_two_hundred_parallel_writes_all_arrive(home: Home) -> None:
    with serve(home) as server:
        server.line()
        texts = [f"Guest {number} sits at table {number // 8}." for number in range(200)]
        with ThreadPoolExecutor(50) as pool:
            stored = list(pool.map(lambda text: call(home, "remember", text=text), texts))
        assert all(one["ok"] for one in stored)
        assert len({one["memory_id"] for one in stored}) == 200
        assert call(home, "memory_stats")["active"] == 200


def observations(shared: Path) -> Iterator[str]:
    for talk in json.loads((shared / "data" / "locomo-dev.json").read_text(encoding="utf-8")):
        for session in talk["observation"].values():
            for speaker in session.values():
                for observation in speaker:
                    yield observation[0]


def test_a_thousand_real_facts_survive_a_sudden_death(home: Home, shared: Path) -> None:
    facts = list(dict.fromkeys(observations(shared)))[:1000]
    ids: list[int] = []
    with serve(home) as server:
        server.line()
        for start in range(0, len(facts), 200):
            done = call(home, "remember_batch", items=[{"text": fact} for fact in facts[start : start + 200]], dedup_policy="insert")
            ids += [result["memory_id"] for result in done["results"]]
        kill_everything(server)
    with serve(home) as server:
        server.line()
        assert call(home, "memory_stats")["active"] == len(set(ids))
        for number in range(0, len(facts), 50):
            found = call(home, "recall", query=facts[number], limit=5)["matches"]
            assert found[0]["id"] == ids[number]
            assert found[0]["text"] == facts[number]


def test_start_store_and_recall_open_no_socket_outside(home: Home, tmp_path: Path) -> None:
    audit = tmp_path / "sockets"
    with serve(home, PYTHONPATH=str(Path(__file__).parent.parent.parent / "audit"), SOCKET_AUDIT=str(audit)) as server:
        server.line()
        call(home, "remember", text="The person's boat is called Aurora.")
        assert call(home, "recall", query="what is the boat called")["matches"]
        running = joining.announced(home)
        assert running is not None
        connections = [one for process in family(server) for one in process.net_connections("inet")]
        assert {getattr(end, "ip", "127.0.0.1") for one in connections for end in (one.laddr, one.raddr)} <= {"127.0.0.1", "::1"}
    noted = set(audit.read_text(encoding="utf-8").splitlines())
    assert noted
    outside = [line for line in noted if not line.endswith(("'127.0.0.1'", "'localhost'", "'::1'")) and "/" not in line]
    assert outside == []
