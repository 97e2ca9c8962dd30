"""A lock between processes: a file that the system unlocks by itself when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

POLL_SECONDS = 0.02


class FileLock:
    """An exclusive lock on a file, which is made when missing and never removed (removing it would let two holders in).

    Two objects exclude each other even inside one process. One object belongs to one thread at a time. Standard library
    only, for the reaper uses it without any installed package.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds (0: one try) and say whether the lock is held now. Raises OSError for a bad path."""
        if self._handle is not None:
            return True
        deadline = time.monotonic() + timeout
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            while not _try_lock(handle):
                if time.monotonic() >= deadline:
                    os.close(handle)
                    return False
                time.sleep(POLL_SECONDS)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return True

    def release(self) -> None:
        """Let others in. Does nothing when the lock is not held."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            if sys.platform == "win32":
                msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)  # Windows frees it only "in time" after a bare close
            os.close(handle)

    def held_by_other(self) -> bool:
        """Whether someone else holds the lock right now. Creates nothing; False when there is no such file or it is held here.

        The probe takes the lock for an instant, so a `acquire(0)` elsewhere at that very moment can fail: give it some time.
        """
        if self._handle is not None:
            return False
        try:
            handle = os.open(self.path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        except FileNotFoundError:
            return False
        try:
            free = _try_lock(handle)
            if free and sys.platform == "win32":
                msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        finally:
            os.close(handle)
        return not free

    def __enter__(self) -> FileLock:
        """Wait without limit."""
        while not self.acquire(60.0):
            pass
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            # flock, not lockf: a record lock would vanish when any other handle of this process on the file is closed.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # Windows reports a held lock as PermissionError
        return False
    return True
