"""Who needs the server. It ends a few seconds after the last one is gone. Standard library only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

GRACE = 5.0  # seconds without a lease
FIRST_GRACE = 30.0  # seconds until the first lease: whoever started the server still has to join it


class Leases:
    """Counts leases from any thread; `changed` is called after each change."""

    def __init__(self, *, permanent: bool, changed: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._permanent = permanent
        self._changed = changed
        self._clock = clock
        self._lock = threading.Lock()
        self._count = 0
        self._ends = clock() + FIRST_GRACE

    def take(self) -> None:
        """One more needs the server."""
        with self._lock:
            self._count += 1
        self._changed()

    def release(self) -> None:
        """One of them is gone."""
        with self._lock:
            self._count -= 1
            self._ends = self._clock() + GRACE
        self._changed()

    @property
    def count(self) -> int:
        """Leases that are held now; the permanent one is not counted."""
        with self._lock:
            return self._count

    def left(self) -> float | None:
        """Seconds until the server shall end (0 or less: now), or None while it is needed."""
        with self._lock:
            return None if self._permanent or self._count else self._ends - self._clock()
