"""Calls in threads, results on the GUI's thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QObject
from pytestqt.qtbot import QtBot

from app.bridge import Bridge, Lane
from app.client import ApiError, Client, Home, NoServerError
from tests.ui.support import dispose_object


def answer(number: int, _client: Client) -> int:
    """What was asked for."""
    return number


def broken(_client: Client) -> None:
    """A fault in the program."""
    raise LookupError


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    """A bridge to a server that is not there; what runs in its threads is the tests'."""
    bridge = Bridge(Client(Home.at(tmp_path)))
    yield bridge
    bridge.close()


def test_results_come_on_the_gui_thread(bridge: Bridge, qtbot: QtBot) -> None:
    """And work is done in another one."""
    threads: list[threading.Thread] = []
    bridge.call(bridge, lambda _client: threading.current_thread(), lambda worker: threads.extend((worker, threading.current_thread())))
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
    assert bridge.under_way == 0


def test_calls_of_the_store_keep_their_order(bridge: Bridge, qtbot: QtBot) -> None:
    """However many there are."""
    done: list[int] = []
    for number in range(50):
        bridge.call(bridge, partial(answer, number), done.append)
    qtbot.waitUntil(lambda: len(done) == 50)
    assert done == list(range(50))


def test_the_side_lane_passes_a_slow_call(bridge: Bridge, qtbot: QtBot) -> None:
    """Which holds up nobody else."""
    gate, done = threading.Event(), list[str]()
    bridge.call(bridge, lambda _client: gate.wait(20), lambda _: done.append("slow"))
    bridge.call(bridge, lambda _client: None, lambda _: done.append("side"), lane=Lane.SIDE)
    qtbot.waitUntil(lambda: done == ["side"])
    gate.set()
    qtbot.waitUntil(lambda: done == ["side", "slow"])


def test_a_newer_call_of_a_slot_replaces_the_older(bridge: Bridge, qtbot: QtBot) -> None:
    """One that waits never starts, one that runs is not delivered."""
    running, gate, started, done = threading.Event(), threading.Event(), list[int](), list[int]()

    def work(number: int, _client: Client) -> int:
        started.append(number)
        running.set()
        gate.wait(20)
        return number

    for number in range(3):
        bridge.call(bridge, partial(work, number), done.append, slot="search")
        assert running.wait(20)
    gate.set()
    qtbot.waitUntil(lambda: done == [2])
    assert started == [0, 2]
    assert bridge.under_way == 0


def test_failures_are_sentences(bridge: Bridge, qtbot: QtBot) -> None:
    """To the caller where it takes them, else to everybody; also of faults in the program."""
    taken: list[ApiError] = []
    bridge.call(bridge, Client.status, lambda _: None, taken.append)
    qtbot.waitUntil(lambda: len(taken) == 1)
    assert isinstance(taken[0], NoServerError)
    with qtbot.waitSignal(bridge.failure) as failure:
        bridge.call(bridge, broken, lambda _: None)
    assert "LookupError" in str(failure.args[0])


def test_nothing_is_delivered_to_what_is_gone(bridge: Bridge, qtbot: QtBot) -> None:
    """Nor after the end."""
    receiver, done = QObject(), list[int]()
    gate = threading.Event()
    bridge.call(receiver, lambda _client: gate.wait(20), lambda _: done.append(1))
    dispose_object(receiver)
    gate.set()
    qtbot.waitUntil(lambda: bridge.under_way == 0)
    bridge.call(bridge, lambda _client: None, lambda _: done.append(2))
    bridge.close()
    QCoreApplication.processEvents()
    bridge.call(bridge, lambda _client: None, lambda _: done.append(3))
    assert done == []


def test_writes_are_counted(bridge: Bridge, qtbot: QtBot) -> None:
    """Quitting asks about them alone."""
    gate = threading.Event()
    bridge.call(bridge, lambda _client: gate.wait(20), lambda _: None, writes=True)
    bridge.call(bridge, lambda _client: None, lambda _: None)
    assert (bridge.writing, bridge.under_way) == (1, 2)
    gate.set()
    qtbot.waitUntil(lambda: bridge.under_way == 0)
    assert bridge.writing == 0
