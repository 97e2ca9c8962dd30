"""The lock between processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.locks import FileLock

HOLDER = """
import sys
from pathlib import Path
from server.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(5.0), flush=True)
sys.stdin.read()
"""


def test_second_holder_waits_and_gives_up(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.acquire(0)
    assert first.acquire(0), "asking again while holding it is no error"
    before = time.monotonic()
    assert not second.acquire(0.1)
    assert time.monotonic() - before >= 0.1
    first.release()
    assert second.acquire(0)
    second.release()
    second.release()


def test_context_manager(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"):
        assert not FileLock(tmp_path / "lock").acquire(0)
    with FileLock(tmp_path / "lock") as again:
        assert not again.held_by_other()


def test_probe_creates_nothing_and_leaves_the_lock_free(tmp_path: Path) -> None:
    probe = FileLock(tmp_path / "lock")
    assert not probe.held_by_other()
    assert not probe.path.exists()
    with FileLock(tmp_path / "lock"):
        assert probe.held_by_other()
    assert not probe.held_by_other()
    assert probe.acquire(0)
    probe.release()


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert FileLock(path).held_by_other()
        assert not FileLock(path).acquire(0)
        holder.kill()
        holder.wait()
    with FileLock(path):
        pass


def test_children_do_not_inherit_the_lock(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire(0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=False) as child:
        lock.release()
        assert FileLock(tmp_path / "lock").acquire(5)  # a child may hold it for an instant, until its exec
        child.communicate(b"\n")


def test_bad_path_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "nowhere" / "lock").acquire(0)
