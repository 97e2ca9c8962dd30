"""What callers wait for, and in which order it goes to the worker."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum

from server.memory.ports import Vectors

SLICE_TEXTS = 64
SLICE_CHARACTERS = 64_000


def require_text(texts: Iterable[str]) -> None:
    """A blank text has no meaning to find again. Raises ValueError."""
    if not all(text.replace("\0", "").strip() for text in texts):
        raise ValueError("a blank text has no embedding")


class Priority(IntEnum):
    """Lower numbers overtake higher ones, in the queue and between two batches inside the worker."""

    QUERY = 0  # somebody waits for a recall
    SINGLE = 1  # a passage or two: somebody waits for a remember
    BATCH = 2  # imports, re-embedding


@dataclass(slots=True)
class Item:
    """One text and the future of its vectors, shape (windows, dimension)."""

    text: str
    priority: Priority
    result: Future[Vectors] = field(default_factory=Future)
    attempts: int = 0
    number: int = 0  # order of arrival

    def __lt__(self, other: Item) -> bool:
        return self.number < other.number


class RequestQueue:
    """Texts that wait, by priority and then in order of arrival. The owner holds a lock around every call."""

    def __init__(self) -> None:
        self._waiting: dict[Priority, list[Item]] = {priority: [] for priority in Priority}
        self._numbers = itertools.count(1)

    def __bool__(self) -> bool:
        return any(self._waiting.values())

    def put(self, item: Item) -> None:
        """Add a new text, or one whose worker died: that one keeps its place."""
        item.number = item.number or next(self._numbers)
        heapq.heappush(self._waiting[item.priority], item)

    def take(self, priority: Priority) -> list[Item]:
        """The next slice of one priority, of all callers together; empty if nobody waits.

        A text whose worker died goes alone, so that a text that kills workers takes no other text with it.
        """
        heap, found, characters = self._waiting[priority], list[Item](), 0
        while heap and len(found) < SLICE_TEXTS and (not found or characters + len(heap[0].text) <= SLICE_CHARACTERS):
            if heap[0].attempts and found:
                break
            found.append(heapq.heappop(heap))
            characters += len(found[-1].text)
            if found[-1].attempts:
                break
        return found

    def drain(self) -> list[Item]:
        """Take out everything."""
        found = [item for heap in self._waiting.values() for item in heap]
        for heap in self._waiting.values():
            heap.clear()
        return found
