"""A stage that fails, dies, and comes back."""

from __future__ import annotations

import threading

import pytest

from server.parts import StartError
from server.stages import DATABASE, Stages, State
from server.supervision import Stage, Supervisor

PATIENCE = 20.0


class Fake:
    """A stage with a script: each start takes one word from it."""

    def __init__(self, *script: str) -> None:
        self.script = list(script)
        self.starts = 0
        self.idle = threading.Event()  # set when a start found the script at its end

    def start(self) -> None:
        """`fail`, `retry`, `crash`, or be up."""
        self.starts += 1
        word = self.script.pop(0) if self.script else "up"
        if word in ("fail", "retry"):
            raise StartError("Do this.", retry=word == "retry")
        if word == "crash":
            raise RuntimeError("a fault")
        self.word = word
        if word == "up":
            self.idle.set()

    def alive(self) -> bool:
        """A stage that was told to die is dead at the first look."""
        return self.word != "die"


def run(fake: Fake, back_off: tuple[float, ...] = (0.0, 0.0, 0.0)) -> tuple[Stages, threading.Event, Supervisor]:
    """A running supervisor."""
    stages, stopping = Stages(), threading.Event()
    supervisor = Supervisor(Stage(DATABASE, fake.start, fake.alive), stages, stopping, back_off)
    supervisor.start()
    return stages, stopping, supervisor


def test_up_and_stopped() -> None:
    """It watches until it is told to stop."""
    fake = Fake()
    stages, stopping, supervisor = run(fake)
    assert fake.idle.wait(PATIENCE)
    stopping.set()
    supervisor.join(PATIENCE)
    assert stages.get(DATABASE).state is State.READY


def test_failed_start() -> None:
    """A start that cannot work is not tried again; the advice stays."""
    fake = Fake("fail")
    stages, _, supervisor = run(fake)
    supervisor.join(PATIENCE)
    assert (stages.get(DATABASE).state, stages.get(DATABASE).hint, fake.starts) == (State.FAILED, "Do this.", 1)


def test_unexpected_fault() -> None:
    """A fault of ours is no silent death of a thread."""
    stages, _, supervisor = run(Fake("crash"))
    supervisor.join(PATIENCE)
    assert stages.get(DATABASE).state is State.FAILED
    assert "log" in stages.get(DATABASE).hint


def test_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What time may heal is tried again, and meanwhile says what is wrong."""
    monkeypatch.setattr("server.supervision.RETRY", 0.0)
    fake = Fake("retry", "retry")
    stages, stopping, supervisor = run(fake)
    assert fake.idle.wait(PATIENCE)
    stopping.set()
    supervisor.join(PATIENCE)
    assert (stages.get(DATABASE).state, fake.starts) == (State.READY, 3)


def test_restarts() -> None:
    """Three times; then it has failed."""
    fake = Fake("die", "die", "die")
    stages, stopping, supervisor = run(fake)
    assert fake.idle.wait(PATIENCE)
    stopping.set()
    supervisor.join(PATIENCE)
    assert (stages.get(DATABASE).state, fake.starts) == (State.READY, 4)
    fake = Fake("die", "die", "die", "die")
    stages, _, supervisor = run(fake)
    supervisor.join(PATIENCE)
    assert (stages.get(DATABASE).state, fake.starts) == (State.FAILED, 4)


def test_stop_while_backing_off() -> None:
    """A stop does not wait for the next try."""
    fake = Fake("die")
    _, stopping, supervisor = run(fake, (600.0,))
    stopping.set()
    supervisor.join(PATIENCE)
    assert fake.starts <= 1


def test_steady_service_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deaths long ago do not count."""
    monkeypatch.setattr("server.supervision.STEADY", -1.0)
    fake = Fake(*["die"] * 10)
    stages, stopping, supervisor = run(fake)
    assert fake.idle.wait(PATIENCE)
    stopping.set()
    supervisor.join(PATIENCE)
    assert stages.get(DATABASE).state is State.READY
