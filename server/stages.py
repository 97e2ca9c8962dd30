"""The stages of start-up (database, model) as every thread and the event loop see them. Standard library only."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

DATABASE = "database"
MODEL = "model"
NAMES = (DATABASE, MODEL)


class State(enum.StrEnum):
    """What a stage is doing."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: since when (monotonic seconds) it has been in its state, and for a failed one what to do about it."""

    state: State
    since: float
    began: float  # when the current or last start began
    hint: str = ""

    @property
    def seconds(self) -> float:
        """How long the start took, or has taken so far."""
        return round((time.monotonic() if self.state is State.STARTING else self.since) - self.began, 3)


class Stages:
    """The state of all stages. Setters may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = now = time.monotonic()
        self._stages = {name: Stage(State.STARTING, now, now) for name in NAMES}
        self._listeners: list[Callable[[], None]] = []

    def get(self, name: str) -> Stage:
        """The stage as it is now."""
        with self._lock:
            return self._stages[name]

    def starting(self, name: str) -> None:
        """A start or restart begins."""
        now = time.monotonic()
        self._set(name, lambda _: Stage(State.STARTING, now, now))

    def ready(self, name: str) -> None:
        """The stage can be used."""
        self._set(name, lambda old: Stage(State.READY, time.monotonic(), old.began))

    def failed(self, name: str, hint: str) -> None:
        """The stage cannot be used; `hint` says why and what to do, without secrets."""
        self._set(name, lambda old: Stage(State.FAILED, time.monotonic(), old.began, hint))

    def status(self) -> str:
        """`degraded` when any stage has failed, else `starting` until all are ready."""
        with self._lock:
            states = {stage.state for stage in self._stages.values()}
        if State.FAILED in states:
            return "degraded"
        return "starting" if State.STARTING in states else "ready"

    def describe(self, *, hints: bool = False) -> dict[str, dict[str, str | float]]:
        """Each stage's state and the seconds that its start took, as JSON; `hints` only for the owner. The server itself is up."""
        stages: dict[str, dict[str, str | float]] = {
            "server": {"state": State.READY.value, "seconds": round(time.monotonic() - self._began, 3)}
        }
        for name in NAMES:
            stage = self.get(name)
            stages[name] = {"state": stage.state.value, "seconds": stage.seconds}
            if hints and stage.hint:
                stages[name]["hint"] = stage.hint
        return stages

    @contextlib.contextmanager
    def listener(self, changed: Callable[[], None]) -> Iterator[None]:
        """Call `changed` after every change, in the thread that made it, until the block is left."""
        with self._lock:
            self._listeners.append(changed)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(changed)

    async def settled(self, name: str, deadline: float) -> Stage:
        """The stage once it is ready or failed, or as it is at `deadline` (monotonic seconds)."""
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def tell() -> None:
            # The loop may close between a change and this call; then nobody waits any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(changed.set)

        with self.listener(tell):
            while (stage := self.get(name)).state is State.STARTING and (left := deadline - time.monotonic()) > 0:
                changed.clear()
                if self.get(name).state is not State.STARTING:
                    continue
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), left)
        return stage

    def _set(self, name: str, make: Callable[[Stage], Stage]) -> None:
        with self._lock:
            self._stages[name] = make(self._stages[name])
            listeners = list(self._listeners)
        for listener in listeners:
            listener()
