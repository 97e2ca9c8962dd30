"""Starting one stage, watching it, and starting it again when it dies."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from server.parts import StartError
from server.stages import Stages

log = logging.getLogger(__name__)

BACK_OFF = (1.0, 2.0, 4.0)  # seconds before the first, second and third restart; then it has failed
STEADY = 600.0  # seconds of good service after which earlier deaths are forgotten
RETRY = 5.0  # seconds between tries to reach a database elsewhere
WATCH = 0.5  # seconds between looks


@dataclass(frozen=True, slots=True)
class Stage:
    """How to start and watch a stage. `start` blocks and raises StartError; `name` as in `Stages`."""

    name: str
    start: Callable[[], None]
    alive: Callable[[], bool]


class Supervisor:
    """Runs one stage in a thread of its own until `stopping` is set."""

    def __init__(self, stage: Stage, stages: Stages, stopping: threading.Event, back_off: tuple[float, ...] = BACK_OFF) -> None:
        self._stage = stage
        self._stages = stages
        self._stopping = stopping
        self._back_off = back_off
        self._thread = threading.Thread(target=self._run, name=f"{stage.name} supervisor", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def join(self, timeout: float) -> None:
        """Wait for the thread after `stopping` was set."""
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            self._serve()
        except Exception:  # the boundary of a thread
            log.exception("The %s could not be started.", self._stage.name)
            self._stages.failed(self._stage.name, f"The {self._stage.name} failed unexpectedly; the server's log says where.")

    def _serve(self) -> None:
        deaths = 0
        while not self._stopping.is_set():
            if not self._start():
                return
            since = time.monotonic()
            while self._stage.alive():
                if self._stopping.wait(WATCH):
                    return
            deaths = 1 if time.monotonic() - since > STEADY else deaths + 1
            if deaths > len(self._back_off):
                log.error("The %s died %d times in a row and is not started again.", self._stage.name, deaths)
                hint = f"The {self._stage.name} keeps stopping. Look into the server's log, then restart OwnSona."
                self._stages.failed(self._stage.name, hint)
                return
            log.warning("The %s has died and is started again.", self._stage.name)
            self._stages.starting(self._stage.name)
            self._stopping.wait(self._back_off[deaths - 1])

    def _start(self) -> bool:
        """Whether the stage is up; False once it has failed for good or the server stops."""
        while not self._stopping.is_set():
            try:
                self._stage.start()
            except StartError as error:
                if self._stopping.is_set():
                    return False
                log.error("The %s cannot start. %s", self._stage.name, error)
                self._stages.failed(self._stage.name, str(error))
                if not error.retry or self._stopping.wait(RETRY):
                    return False
                continue
            self._stages.ready(self._stage.name)
            log.info("The %s is ready after %.1f s.", self._stage.name, self._stages.get(self._stage.name).seconds)
            return True
        return False
