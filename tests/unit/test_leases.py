"""Who needs the server, and for how long after."""

from __future__ import annotations

from server.leases import FIRST_GRACE, GRACE, Leases


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def test_grace() -> None:
    """A longer one before the first lease, five seconds after the last."""
    clock, changes = Clock(), list[None]()
    leases = Leases(permanent=False, changed=lambda: changes.append(None), clock=clock)
    assert leases.left() == FIRST_GRACE
    leases.take()
    leases.take()
    clock.now += 1000
    assert leases.left() is None
    leases.release()
    assert (leases.left(), leases.count) == (None, 1)
    leases.release()
    assert leases.left() == GRACE
    clock.now += GRACE
    assert leases.left() == 0
    leases.take()
    assert leases.left() is None
    assert len(changes) == 5


def test_permanent() -> None:
    """A `serve` in a terminal never ends for want of leases."""
    leases = Leases(permanent=True, changed=lambda: None)
    leases.take()
    leases.release()
    assert leases.left() is None
