"""The server's end of one embedding worker: start it, talk to it, and see it end."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, cast

from server.embedding.frames import FrameError, read_frame, write_frame

log = logging.getLogger(__name__)

STOP_SECONDS = 5.0

OnFrame = Callable[["WorkerProcess", dict[str, Any], bytes], None]
OnEnd = Callable[["WorkerProcess"], None]


# -P: a package named "server" in the current folder must not take the place of this one.
COMMAND = (sys.executable, "-P", "-m", "server.embedding.worker")


def environment(base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The worker's environment: no debugger for a backtrace after an abort, and threads that sleep instead of spinning."""
    return {**base, "GGML_NO_BACKTRACE": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONUNBUFFERED": "1"}


class WorkerProcess:
    """One worker. `on_frame` and `on_end` are called from its reading thread."""

    def __init__(self, order: dict[str, Any], on_frame: OnFrame, on_end: OnEnd) -> None:
        """Start the worker and give it the order to load a model. Raises OSError."""
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._on_frame, self._on_end = on_frame, on_end
        self.last_sign = time.monotonic()  # of life; the owner also sets it when it gives an idle worker something to do
        self.last_line = ""  # of what the worker wrote to stderr
        self._outgoing: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._log, self._write, self._read)]
        for thread in self._threads:
            thread.start()
        self.send(order)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    def send(self, request: dict[str, Any]) -> None:
        """Send one frame; never blocks. If the worker is gone the frame is lost, and `on_end` tells so."""
        self._outgoing.put(request)

    def kill(self) -> None:
        """End the worker at once; `on_end` follows."""
        self._process.kill()

    def close(self) -> None:
        """End the worker in good order, and wait until it is gone."""
        self._outgoing.put(None)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join()

    def reason(self) -> str:
        """How the worker ended, for the log and the person."""
        code = self._process.wait()
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"{ended} ({self.last_line})" if self.last_line else ended

    def _read(self) -> None:
        with cast(BinaryIO, self._process.stdout) as stream, contextlib.suppress(FrameError, OSError):
            while frame := read_frame(stream):
                self.last_sign = time.monotonic()
                self._on_frame(self, *frame)
        self._outgoing.put(None)
        self._process.wait()
        self._threads[0].join()  # so that the last line is known
        self._on_end(self)

    def _write(self) -> None:
        with contextlib.suppress(OSError), cast(BinaryIO, self._process.stdin) as stream:
            while (request := self._outgoing.get()) is not None:
                write_frame(stream, request)

    def _log(self) -> None:
        with cast(BinaryIO, self._process.stderr) as stream:
            for line in stream:
                self.last_line = line.decode(errors="replace").strip()[:300]
                log.warning("embedding worker %d: %s", self.pid, self.last_line)
