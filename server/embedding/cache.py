"""The vectors of recent queries: assistants ask the same thing again, and a vector costs ten milliseconds."""

from __future__ import annotations

import threading
from collections import OrderedDict

from server.memory.ports import Vectors

SIZE = 1024


class QueryCache:
    """The least recently used query goes first. Safe for many threads."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def get(self, generation: str, text: str) -> Vectors | None:
        """The vector of a query that one generation of the model has seen, else None."""
        with self._lock:
            found = self._entries.get((generation, text))
            if found is not None:
                self._entries.move_to_end((generation, text))
            return found

    def put(self, generation: str, text: str, vectors: Vectors) -> None:
        """Remember a query's vector; nobody can change it afterwards."""
        vectors.flags.writeable = False
        with self._lock:
            self._entries[generation, text] = vectors
            self._entries.move_to_end((generation, text))
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
