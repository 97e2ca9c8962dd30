"""Work that takes longer than a request: each in a thread of its own, with progress, an end, and a way to stop it."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

log = logging.getLogger(__name__)

KEPT = 50  # that have ended
State = Literal["running", "done", "failed", "cancelled"]


class Cancelled(Exception):
    """Raised inside work that somebody has stopped."""


class JobError(Exception):
    """Work cannot be done; the message says why and what to do, fit for the person."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work as it stands. It lives and dies with its process, so no other server needs to know of it."""

    id: int
    kind: str
    state: State = "running"
    done: int = 0
    total: int | None = None
    seconds_left: float | None = None
    message: str | None = None


class Progress:
    """How work tells where it is."""

    def __init__(self, tell: Callable[[int, int | None], None]) -> None:
        self._tell = tell
        self._began = time.monotonic()
        self.stop = threading.Event()

    def at(self, done: int, total: int | None = None) -> None:
        """So much of so much. Raises Cancelled where the work shall end."""
        self.check()
        self._tell(done, total)

    def check(self) -> None:
        """Raises Cancelled where the work shall end."""
        if self.stop.is_set():
            raise Cancelled

    def seconds_left(self, done: int, total: int | None) -> float | None:
        """By the speed so far."""
        if not done or total is None:
            return None
        return round((time.monotonic() - self._began) / done * max(total - done, 0), 1)


class Jobs:
    """All work of this process. `changed` is called, in any thread, when work begins, ends or gets on."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._jobs: dict[int, Job] = {}
        self._running: dict[int, tuple[Progress, threading.Thread]] = {}

    def start(self, kind: str, work: Callable[[Progress], str | None]) -> Job:
        """Begin; returns at once. What the work returns is its message; it may raise JobError."""
        number = next(self._numbers)
        progress = Progress(lambda done, total: self._move(number, done, total))
        thread = threading.Thread(target=self._run, args=(number, work, progress), name=f"job {kind}", daemon=True)
        job = Job(number, kind)
        with self._lock:
            self._jobs[number] = job
            self._running[number] = (progress, thread)
            for old in [one for one in self._jobs if one not in self._running][:-KEPT]:
                del self._jobs[old]
        thread.start()
        self._changed()
        return job

    def listing(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.id)

    def running(self, kind: str) -> Job | None:
        """The one of this kind that is under way."""
        return next((job for job in self.listing() if job.kind == kind and job.state == "running"), None)

    def cancel(self, number: int) -> bool:
        """Ask work to end; False where there is none with this number that runs."""
        with self._lock:
            found = self._running.get(number)
        if found is None:
            return False
        found[0].stop.set()
        return True

    def wait(self, number: int, seconds: float) -> Job | None:
        """The job once it has ended, or as it is after so long; None where there is none."""
        with self._lock:
            found = self._running.get(number)
        if found is not None:
            found[1].join(seconds)
        with self._lock:
            return self._jobs.get(number)

    def stop(self, seconds: float = 2.0) -> None:
        """Ask all to end, and wait for them so long together."""
        with self._lock:
            running = list(self._running.values())
        for progress, _ in running:
            progress.stop.set()
        deadline = time.monotonic() + seconds
        for _, thread in running:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self, number: int, work: Callable[[Progress], str | None], progress: Progress) -> None:
        state: State = "done"
        try:
            message = work(progress)
        except Cancelled:
            state, message = "cancelled", None
        except JobError as error:
            state, message = "failed", str(error)
        except Exception as error:  # noqa: BLE001 - the boundary of the thread
            log.error("a job failed with %s", type(error).__name__)
            state, message = "failed", "It failed unexpectedly; the server's log says where."
        with self._lock:
            self._jobs[number] = replace(self._jobs[number], state=state, message=message, seconds_left=None)
            del self._running[number]
        self._changed()

    def _move(self, number: int, done: int, total: int | None) -> None:
        with self._lock:
            progress, _ = self._running[number]
            self._jobs[number] = replace(self._jobs[number], done=done, total=total, seconds_left=progress.seconds_left(done, total))
        self._changed()
