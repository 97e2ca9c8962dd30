"""The states of the stages, across threads and the event loop."""

from __future__ import annotations

import asyncio
import threading
import time

from server.stages import DATABASE, MODEL, Stages, State


def test_status() -> None:
    """Ready needs both; one failure is enough to be degraded."""
    stages = Stages()
    assert stages.status() == "starting"
    stages.ready(DATABASE)
    assert stages.status() == "starting"
    stages.ready(MODEL)
    assert stages.status() == "ready"
    stages.starting(MODEL)
    assert stages.status() == "starting"
    stages.failed(MODEL, "Do this.")
    assert stages.status() == "degraded"
    assert "hint" not in stages.describe()[MODEL]
    assert stages.describe(hints=True)[MODEL]["hint"] == "Do this."


def test_waiting_in_the_loop() -> None:
    """A waiter is woken by a change in another thread."""
    stages = Stages()

    async def wait() -> State:
        threading.Thread(target=stages.ready, args=(DATABASE,)).start()
        return (await stages.settled(DATABASE, time.monotonic() + 20)).state

    assert asyncio.run(wait()) is State.READY


def test_waiting_ends() -> None:
    """At the deadline, the stage as it is."""
    stages = Stages()
    assert asyncio.run(stages.settled(MODEL, time.monotonic() + 0.05)).state is State.STARTING
    assert asyncio.run(stages.settled(MODEL, time.monotonic() - 1)).state is State.STARTING


def test_other_changes_do_not_end_the_wait() -> None:
    """Only the stage that is waited for counts."""
    stages = Stages()

    async def wait() -> State:
        waiting = asyncio.create_task(stages.settled(DATABASE, time.monotonic() + 20))
        await asyncio.sleep(0)
        stages.ready(MODEL)
        stages.failed(DATABASE, "x")
        return (await waiting).state

    assert asyncio.run(wait()) is State.FAILED


def test_listener_leaves() -> None:
    """After its block, a listener hears nothing."""
    stages, heard = Stages(), list[None]()
    with stages.listener(lambda: heard.append(None)):
        stages.ready(MODEL)
    stages.ready(DATABASE)
    assert len(heard) == 1
