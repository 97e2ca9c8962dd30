"""Programs of ours as child processes: start, read their lines, wait for conditions, end."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import psutil

PATIENCE = 90.0  # seconds that a test waits before it fails; starts take long on a busy computer
ROOT = Path(__file__).resolve().parent.parent


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without settings of ours, and with a free port."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("OWNSONA_")}, "OWNSONA_PORT": "0", **changes}


def eventually(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait until a condition of another process holds that nothing announces."""
    deadline = time.monotonic() + patience
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        pause.wait(0.02)


class Program:
    """A child process whose output is read as it comes."""

    def __init__(self, arguments: list[str], env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=dict(env or environment()),
        )
        assert self.process.stdin is not None
        self.stdin: IO[bytes] = self.process.stdin
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines.put), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors.append), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def line(self) -> bytes:
        """The next line of stdout. Raises queue.Empty when none comes."""
        return self.lines.get(timeout=PATIENCE)

    def end(self, patience: float = PATIENCE) -> int:
        """Wait for the end; the exit code."""
        code = self.process.wait(patience)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    @property
    def complaint(self) -> str:
        """All of stderr, once the program has ended."""
        return b"".join(self.errors).decode()

    @staticmethod
    def _read(stream: IO[bytes], take: Callable[[bytes], None]) -> None:
        with stream:
            for line in stream:
                take(line)


@contextlib.contextmanager
def program(*arguments: str, env: Mapping[str, str] | None = None) -> Iterator[Program]:
    """A program that is killed, with all its children, if the test leaves it running."""
    running = Program(list(arguments), env)
    try:
        yield running
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in [*psutil.Process(running.process.pid).children(recursive=True), psutil.Process(running.process.pid)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
        running.end()
        running.stdin.close()
