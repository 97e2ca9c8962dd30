"""A process that outlives the server: when the server dies without a word, it stops Postgres, unless a new server has taken over.

Run by file path with `-I -S`, on the standard library alone, so that it starts fast and stays small. It waits on its stdin: the byte
`q` means that the server stops in good order, the end of the pipe that it died. The home's server lock decides between the reaper and
a new server: who holds it owns the database. A server that starts in that moment waits for the lock until the reaper is done.
Windows: a Job Object is the better tool there; this one works too, by pg_ctl.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from server.locks import FileLock
from server.postgres.postmaster import FAST_SECONDS, IMMEDIATE_SECONDS, is_own_socket_dir, is_postmaster, read_pid_file

POLL_SECONDS = 0.05
TAKEOVER_SECONDS = 2.0  # the system frees a dead server's lock at once; held longer than this means a new server


def main(lock_file: Path, data: Path, runtime_file: Path, pg_ctl: Path) -> int:
    """Wait for the server's end, then clean up. Returns the exit code."""
    if sys.stdin.buffer.read(1) == b"q":
        return 0
    lock = FileLock(lock_file)
    if not lock.acquire(TAKEOVER_SECONDS):
        return 0
    try:
        reap(data, runtime_file, pg_ctl)
    finally:
        lock.release()
    return 0


def reap(data: Path, runtime_file: Path, pg_ctl: Path) -> None:
    """Stop the cluster's postmaster, and remove its socket's folder and the dead server's address. Needs the home's server lock."""
    runtime_file.unlink(missing_ok=True)
    socket_dir = read_pid_file(data).socket_dir
    if sys.platform == "win32":
        subprocess.run([str(pg_ctl), "stop", "-m", "fast", "-w", "-D", str(data)], check=False, stdin=subprocess.DEVNULL)
        return
    for number, seconds in ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS), (signal.SIGKILL, IMMEDIATE_SECONDS)):
        if _end(data, number, seconds):
            break
    if socket_dir is not None and is_own_socket_dir(socket_dir):
        shutil.rmtree(socket_dir, ignore_errors=True)


def _end(data: Path, number: int, seconds: float) -> bool:
    """Send a signal and wait; whether no postmaster of the cluster is left."""
    deadline = time.monotonic() + seconds
    pids = find_postmasters(data)
    written = read_pid_file(data).pid
    pid = written if written in pids else min(pids, default=None)
    if pid is None:
        return True
    with suppress(ProcessLookupError):
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)  # one that somebody has halted would not hear it
    while pid in find_postmasters(data):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def find_postmasters(data: Path, system: str = sys.platform) -> set[int]:
    """Process ids that look like the cluster's postmaster: that one, and children that have not set their title yet. No zombies."""
    if system == "linux":
        return {pid for pid, argv in _linux_processes() if is_postmaster(argv, data)}
    listing = subprocess.run(["ps", "-axww", "-o", "pid=,command="], check=False, capture_output=True, stdin=subprocess.DEVNULL).stdout
    return find_in_listing(os.fsdecode(listing), data)


def _linux_processes() -> list[tuple[int, list[str]]]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()  # empty for a zombie
            except OSError:  # gone meanwhile
                continue
            found.append((int(folder.name), [os.fsdecode(part) for part in line.rstrip(b"\0").split(b"\0")]))
    return found


def find_in_listing(listing: str, data: Path) -> set[int]:
    """The same from the lines `pid command` of ps, which joins arguments with spaces and quotes nothing."""
    ending = f"/postgres -D {data}"
    lines = (line.strip().partition(" ") for line in listing.splitlines())
    return {int(pid) for pid, _, command in lines if pid.isdigit() and command.strip().endswith(ending)}


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:5])))
