"""The pinned PySide6 on this Python: 6.12.0 loses references to True and None on 3.11, and then the process aborts."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class Sender(QObject):
    """One signal."""

    sent = Signal(int)


def test_emits_and_void_calls_lose_nothing() -> None:
    """5,000 emits and 20,000 calls that return None."""
    sender, got = Sender(), 0

    def take(_number: int) -> None:
        nonlocal got
        got += 1

    sender.sent.connect(take)
    before = sys.getrefcount(None), sys.getrefcount(True)
    for number in range(5000):
        sender.sent.emit(number)
    for _ in range(20_000):
        sender.setObjectName("x")
    assert got == 5000
    assert sys.getrefcount(None) > before[0] - 100
    assert sys.getrefcount(True) > before[1] - 100
