"""The supervisor with real servers as child processes: the real web side and runtime over quick stages."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from app.client import Home
from app.supervisor import BACK_OFF, Phase, ServerState, Supervisor, Trouble
from server.joining import ask, find
from server.locks import FileLock
from tests.programs import ROOT, eventually, program

QUICK = [sys.executable, "-P", str(ROOT / "tests" / "ui" / "quick_server.py"), "serve", "--leased", "--port", "0"]
PATIENCE = 40.0


class States:
    """Every state that a supervisor has told, and a way to wait for one."""

    def __init__(self) -> None:
        self.all: list[ServerState] = []
        self._news = threading.Condition()

    def __call__(self, state: ServerState) -> None:
        """Take one."""
        with self._news:
            self.all.append(state)
            self._news.notify_all()

    def wait(self, wanted: Callable[[ServerState], bool]) -> ServerState:
        """The latest state, once it is as wanted."""
        with self._news:
            assert self._news.wait_for(lambda: bool(self.all) and wanted(self.all[-1]), PATIENCE), self.all[-3:]
            return self.all[-1]


@contextmanager
def supervising(home: Home, command: list[str], back_off: tuple[float, ...] = BACK_OFF) -> Iterator[tuple[Supervisor, States]]:
    """A supervisor that is stopped in the end, and waits until its server is gone."""
    home.create()
    states = States()
    supervisor = Supervisor(home, states, command, back_off)
    supervisor.start()
    try:
        yield supervisor, states
    finally:
        supervisor.stop()
        eventually(lambda: not FileLock(home.lock_file).held_by_other())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of its own."""
    return Home.at(tmp_path)


def ready(state: ServerState) -> bool:
    """Everything runs."""
    return state.phase is Phase.READY


def test_starts_a_server_and_lets_it_go(home: Home) -> None:
    """By way of starting; after the stop the server ends by itself, for nobody else holds a lease."""
    with supervising(home, QUICK) as (supervisor, states):
        state = states.wait(ready)
        assert Phase.STARTING in {one.phase for one in states.all}
        assert [stage.name for stage in state.stages] == ["server", "database", "model"]
        assert state.address.endswith("/mcp")
        assert psutil.pid_exists(state.pid)
        supervisor.stop()
        assert supervisor.state.phase is Phase.STOPPED
    eventually(lambda: find(home) is None)


def test_joins_a_running_server_and_leaves_it_running(home: Home) -> None:
    """No second one is started."""
    home.create()
    with program(QUICK[2], "serve", "--port", "0", "--home", str(home.state.parent)) as running:
        running.line()
        states = States()
        supervisor = Supervisor(home, states, [sys.executable, "-c", "raise SystemExit('must not be started')"])
        supervisor.start()
        assert states.wait(ready).pid == running.process.pid
        supervisor.stop()
        assert find(home) is not None
        running.process.terminate()
        running.end()


def test_a_killed_server_is_started_again(home: Home) -> None:
    """The state says so meanwhile."""
    with supervising(home, QUICK) as (_, states):
        first = states.wait(ready)
        os.kill(first.pid, signal.SIGKILL)
        second = states.wait(lambda state: ready(state) and state.pid != first.pid)
        assert second.restarts == 1
        gap = states.all[states.all.index(first) + 1 :]
        assert any(state.phase is Phase.STARTING and state.restarts == 1 for state in gap)


def test_a_server_that_was_told_to_stop_is_left_alone(home: Home) -> None:
    """Until the person asks for it."""
    with supervising(home, QUICK) as (supervisor, states):
        first = states.wait(ready)
        running = find(home)
        assert running is not None
        ask(home, running, "POST", "/stop")
        states.wait(lambda state: state.phase is Phase.STOPPED)
        supervisor.retry()
        assert states.wait(ready).pid != first.pid


def test_a_busy_port_is_said_at_once(home: Home) -> None:
    """In the server's own words, and without trying again."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [*QUICK[:-1], str(taken.getsockname()[1])]
        with supervising(home, command) as (_, states):
            state = states.wait(lambda state: state.phase is Phase.FAILED)
            assert state.trouble is Trouble.CANNOT_START
            assert "port" in state.detail.lower()
            assert state.restarts == 0


def test_a_server_that_keeps_dying_is_given_up(home: Home) -> None:
    """After the back-off; a retry begins anew."""
    with supervising(home, [sys.executable, "-c", "raise SystemExit(1)"], (0.0, 0.0)) as (supervisor, states):
        state = states.wait(lambda state: state.phase is Phase.FAILED)
        assert state.trouble is Trouble.KEEPS_STOPPING
        assert state.restarts == 2
        count = len(states.all)
        supervisor.retry()
        states.wait(lambda state: state.phase is Phase.FAILED and len(states.all) > count)


def test_a_program_that_is_not_there_is_said(home: Home) -> None:
    """With the system's reason."""
    with supervising(home, [str(home.state / "nothing-here")]) as (_, states):
        state = states.wait(lambda state: state.phase is Phase.FAILED)
        assert state.trouble is Trouble.CANNOT_START
        assert state.detail


def test_a_failed_stage_degrades_with_its_advice(home: Home) -> None:
    """The others go on."""
    with supervising(home, [*QUICK[:3], "--no-model", *QUICK[3:]]) as (_, states):
        state = states.wait(lambda state: state.phase is Phase.DEGRADED)
        assert state.trouble is Trouble.STAGE
        assert {stage.name: stage.state for stage in state.stages} == {"server": "ready", "database": "ready", "model": "failed"}
        assert "model file is damaged" in state.detail


def test_stopping_at_any_moment_is_quick(home: Home) -> None:
    """Also in the middle of a start."""
    states = States()
    home.create()
    supervisor = Supervisor(home, states, [sys.executable, "-c", "import signal; signal.pause()"])
    supervisor.start()
    states.wait(lambda state: state.phase is Phase.STARTING)
    supervisor.stop()
    assert supervisor.state.phase is Phase.STOPPED
    child = supervisor._child
    assert child is not None
    child.kill()
    child.wait()
