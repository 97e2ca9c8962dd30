"""Hints inside one process that something has changed. Standard library only.

They only make things quicker or tell of what lives in this process alone; what must not be missed is in the journal.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

JOURNAL = "journal"  # something was written; the journal says what


class Signals:
    """Tells all listeners. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: list[Callable[[str], None]] = []

    def tell(self, kind: str) -> None:
        """Something of this kind has changed: JOURNAL, or one of the kinds of server.api.Event."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(kind)

    @contextlib.contextmanager
    def listener(self, heard: Callable[[str], None]) -> Iterator[None]:
        """Call `heard` for each, in the thread that told it, until the block is left. It must be quick."""
        with self._lock:
            self._listeners.append(heard)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(heard)
