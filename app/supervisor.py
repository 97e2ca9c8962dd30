"""Watches over the server of a home: joins a running one or starts one, holds a lease, starts it again when it dies.

The core knows no Qt. What it sees comes from probes (`runtime.json` and its challenge, `/healthz`, the lease), never from log texts.
"""

from __future__ import annotations

import contextlib
import enum
import http.client
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.connection import Connection, Stream
from server.forwarding import serve_command, start_detached
from server.joining import API, Running, find
from server.paths import Home
from server.secrets_store import owner_token

START = 45.0  # seconds until a new server must have announced itself: it may wait for the reaper of a killed one
BACK_OFF = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each restart; one more death and it has failed
STEADY = 60.0  # seconds of service after which earlier deaths are forgotten
LOOK_SOON, LOOK_LATER = 0.15, 2.0  # seconds between probes, while something changes and else
FAREWELL = 15.0  # seconds that an orderly end may take
SILENT = 3  # probes without an answer until the server counts as hung
ENVIRONMENT = 2  # the exit code of a server that cannot run here: trying again does not help


class Phase(enum.StrEnum):
    """What the server is doing, as the tray shows it."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    DEGRADED = "degraded"
    FAILED = "failed"


class Trouble(enum.StrEnum):
    """Why there is no (healthy) server."""

    NONE = "none"
    CANNOT_START = "cannot_start"  # `detail` holds the server's own sentence
    NO_ANSWER = "no_answer"
    KEEPS_STOPPING = "keeps_stopping"
    STAGE = "stage"  # a stage says what is wrong


@dataclass(frozen=True, slots=True)
class StageState:
    """One stage of the start: "server", "database" or "model"; `state` is starting, ready or failed."""

    name: str
    state: str
    seconds: float
    advice: str = ""


@dataclass(frozen=True, slots=True)
class ServerState:
    """All that the app shows about the server."""

    phase: Phase
    stages: tuple[StageState, ...] = ()
    trouble: Trouble = Trouble.NONE
    detail: str = ""
    address: str = ""
    pid: int = 0
    restarts: int = 0


class Supervisor:
    """Runs in a thread of its own; `changed` is called in it with each new state."""

    def __init__(
        self, home: Home, changed: Callable[[ServerState], None], command: Sequence[str] | None = None, back_off: Sequence[float] = BACK_OFF
    ) -> None:
        self._home = home
        self._changed = changed
        self._command = list(command) if command else serve_command()
        self._back_off = back_off
        self._state = ServerState(Phase.STOPPED)
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._retry = threading.Event()
        self._lease: Stream | None = None
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="server supervisor", daemon=True)

    @property
    def state(self) -> ServerState:
        """The state as it is now."""
        return self._state

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """Give the lease back. A server that nobody else needs ends by itself some seconds later."""
        self._stopping.set()
        self._wake.set()
        self._retry.set()
        with self._lock:
            if self._lease:
                self._lease.close()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def retry(self) -> None:
        """Start the server again after it was stopped or has failed."""
        self._retry.set()

    def _run(self) -> None:
        deaths, ended = 0, None
        while not self._stopping.is_set():
            began = time.monotonic()
            running = self._find_other(ended) or self._launch()
            orderly = running is not None and self._accompany(running)
            if self._stopping.is_set():
                break
            deaths = 1 if time.monotonic() - began > STEADY else deaths + 1
            ended = running
            if orderly:
                self._await_retry(ServerState(Phase.STOPPED))
            elif self._state.phase is Phase.FAILED:
                self._await_retry(self._state)
            elif deaths > len(self._back_off):
                self._await_retry(ServerState(Phase.FAILED, trouble=Trouble.KEEPS_STOPPING, restarts=self._state.restarts))
            else:
                self._set(ServerState(Phase.STARTING, restarts=self._state.restarts + 1))
                self._stopping.wait(self._back_off[deaths - 1])
                continue
            deaths = 0
        self._set(ServerState(Phase.STOPPED))

    def _find_other(self, ended: Running | None) -> Running | None:
        """A running server; one that is about to end is waited for."""
        deadline = time.monotonic() + FAREWELL
        while (running := find(self._home)) is not None and running == ended and time.monotonic() < deadline:
            if self._stopping.wait(LOOK_SOON):
                return None
        return running

    def _await_retry(self, state: ServerState) -> None:
        self._retry.clear()
        self._set(state)
        if not self._stopping.is_set():
            self._retry.wait()

    def _launch(self) -> Running | None:
        """Start a server and wait until it answers; None where the state says why not, or where it is worth another try."""
        if self._stopping.is_set():
            return None
        log = self._home.logs / "start.log"
        self._set(ServerState(Phase.STARTING, restarts=self._state.restarts))
        try:
            self._home.create()
            self._child = start_detached(self._command, self._home, log)
            # It may outlive us, by design; as long as we live somebody must take its exit status.
            threading.Thread(target=self._child.wait, name="server process", daemon=True).start()
        except OSError as error:
            self._set(ServerState(Phase.FAILED, trouble=Trouble.CANNOT_START, detail=f"{error.strerror or error}."))
            return None
        deadline = time.monotonic() + START
        while time.monotonic() < deadline and not self._stopping.is_set():
            code = self._child.poll()
            if (running := find(self._home)) is not None:
                return running
            if code is not None:
                if code == ENVIRONMENT:
                    self._set(ServerState(Phase.FAILED, trouble=Trouble.CANNOT_START, detail=_last_line(log)))
                return None
            self._stopping.wait(LOOK_SOON)
        if not self._stopping.is_set():
            self._set(ServerState(Phase.FAILED, trouble=Trouble.NO_ANSWER))
        return None

    def _accompany(self, running: Running) -> bool:
        """Watch a server until it is gone or we stop. True where it ended in order, by somebody's wish."""
        gone = threading.Event()
        try:
            token = owner_token(self._home)
            lease = Stream(running.port, token, f"{API}/lease")
        except OSError:
            return False
        with self._lock:
            self._lease = lease
        holder = threading.Thread(target=self._hold, args=(lease, gone), name="lease", daemon=True)
        holder.start()
        if self._stopping.is_set():
            lease.close()
        connection = Connection(running.port, token)
        silent = 0
        while not gone.is_set() and not self._stopping.is_set():
            self._wake.clear()
            silent = 0 if self._probe(running, connection) else silent + 1
            if silent >= SILENT:
                self._set(replace(self._state, phase=Phase.DEGRADED, trouble=Trouble.NO_ANSWER))
            self._wake.wait(LOOK_LATER if self._state.phase is Phase.READY else LOOK_SOON)
        connection.close()
        lease.close()
        holder.join()
        with self._lock:
            self._lease = None
        # A server that ends by somebody's wish ends the lease in order; that of a killed one breaks off.
        return lease.complete

    def _hold(self, lease: Stream, gone: threading.Event) -> None:
        for _line in lease.lines():
            pass
        gone.set()
        self._wake.set()

    def _probe(self, running: Running, connection: Connection) -> bool:
        """Ask for the server's health and set the state by it; False where no answer came."""
        try:
            health = connection.call("GET", "/healthz").body
            advice = {}
            if health.get("status") == "degraded":
                advice = _advice(connection.call("GET", f"{API}/status").body)
        except (OSError, http.client.HTTPException, ValueError):
            return False
        stages = _stages(health, advice)
        phase = {"ready": Phase.READY, "degraded": Phase.DEGRADED}.get(str(health.get("status")), Phase.STARTING)
        trouble = Trouble.STAGE if phase is Phase.DEGRADED else Trouble.NONE
        detail = next((stage.advice for stage in stages if stage.advice), "")
        self._set(ServerState(phase, stages, trouble, detail, running.url, running.pid, self._state.restarts))
        return True

    def _set(self, state: ServerState) -> None:
        if state != self._state:
            self._state = state
            self._changed(state)


def _stages(health: Mapping[str, Any], advice: Mapping[str, str]) -> tuple[StageState, ...]:
    """The stages in the order of the start; one that runs shows no seconds of its own, so that idle states stay equal."""
    found = health.get("stages")
    if not isinstance(found, dict):
        return ()
    return tuple(
        StageState(name, str(stage.get("state")), float(stage.get("seconds", 0)) if name != "server" else 0.0, advice.get(name, ""))
        for name, stage in found.items()
        if isinstance(stage, dict)
    )


def _advice(status: Mapping[str, Any]) -> dict[str, str]:
    """What each failed stage says to the owner."""
    stages = status.get("stages")
    return {str(stage["name"]): str(stage.get("advice") or "") for stage in stages if "name" in stage} if isinstance(stages, list) else {}


def _last_line(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if lines:
            return lines[-1]
    return ""
