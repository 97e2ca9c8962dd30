"""The live processes of one cluster: finding the postmaster, ending it, clearing what a killed one left."""

from __future__ import annotations

import errno
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from server.postgres.binaries import Programs
from server.postgres.postmaster import FAST_SECONDS, IMMEDIATE_SECONDS, is_postmaster, read_pid_file

FORK_SECONDS = 2.0
POLL_SECONDS = 0.02
LOOK_SECONDS = 0.5


def find_postmaster(data: Path) -> psutil.Process | None:
    """The running postmaster of this cluster. Asks the processes, not the pid file alone, which can be stale, empty or not yet written."""
    deadline = time.monotonic() + FORK_SECONDS
    while True:
        found = [process for process in _postgres_processes() if _is_postmaster(process, data)]
        written = read_pid_file(data).pid
        for process in found:
            if process.pid == written:
                return process
        if not found:
            return None
        # A child looks like its parent until it has set its title, and a postmaster is unwritten for a moment: time tells them apart.
        if time.monotonic() >= deadline:
            return found[0]
        time.sleep(POLL_SECONDS)


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; a zombie does not. One that the system does not let us look at, for want of file descriptors, does."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
    except OSError as error:
        return error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def kill_orphans(data: Path) -> None:
    """End children of a killed postmaster, for which the next start would have to wait. Call only when no postmaster runs.

    They would end by themselves within seconds; nothing that was acknowledged depends on them.
    """
    orphans = [process for process in _postgres_processes() if _works_in(process, data)]
    for process in orphans:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    deadline = time.monotonic() + IMMEDIATE_SECONDS
    while any(map(is_alive, orphans)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def stop_postmaster(process: psutil.Process, data: Path, programs: Programs, patience: float = FAST_SECONDS) -> None:
    """End it: fast (clients are disconnected, everything is flushed), then immediate (recovery at the next start), then by force."""
    if sys.platform == "win32":
        programs.run("pg_ctl", "stop", "-m", "fast", "-w", "-t", str(int(patience)), "-D", str(data), timeout=patience + 30)
        steps = [(signal.SIGTERM, IMMEDIATE_SECONDS)]  # TerminateProcess
    else:
        # Never SIGTERM: that one waits for the clients to leave.
        steps = [(signal.SIGINT, patience), (signal.SIGQUIT, IMMEDIATE_SECONDS), (signal.SIGKILL, IMMEDIATE_SECONDS)]
    for number, seconds in steps:
        if not is_alive(process):
            break
        _signal(process, number)
        _continue(process)
        _wait_for_end(process, seconds)
    kill_orphans(data)


def _postgres_processes() -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["name"]) if (process.info["name"] or "").removesuffix(".exe") == "postgres"]


def _is_postmaster(process: psutil.Process, data: Path) -> bool:
    try:
        return is_postmaster(process.cmdline(), data)
    except psutil.Error:  # gone meanwhile, a zombie, or not ours to look at
        return False


def _works_in(process: psutil.Process, data: Path) -> bool:
    """Every process of a cluster has its data folder as working folder."""
    try:
        return Path(process.cwd()) == data
    except psutil.Error:
        return False


def _wait_for_end(process: psutil.Process, seconds: float) -> None:
    """Wait for its end, or until it seems to hang.

    Measured in 18.6: a fast stop that meets the recovery after a backend's crash never ends, with the checkpointer left, idle.
    """
    # Not by psutil's wait: a zombie that nobody collects, as in a container without an init, would keep it waiting.
    now = time.monotonic()
    deadline, next_look, suspicious = now + seconds, now + LOOK_SECONDS, False
    while is_alive(process) and (now := time.monotonic()) < deadline:
        if now >= next_look:
            before, suspicious = suspicious, _has_only_an_idle_checkpointer(process)
            if before and suspicious:
                return
            next_look = now + LOOK_SECONDS
        time.sleep(POLL_SECONDS)


def _has_only_an_idle_checkpointer(process: psutil.Process) -> bool:
    try:
        titles = [" ".join(child.cmdline()).strip() for child in process.children()]
    except psutil.Error:
        return False
    return len(titles) == 1 and titles[0].endswith("checkpointer")  # a busy one adds what it does


def _continue(process: psutil.Process) -> None:
    """Let those of a cluster run again that somebody has halted (SIGSTOP, a debugger): else they would not hear what they are told."""
    if sys.platform == "win32":
        return
    with suppress(psutil.Error):
        # Without a look at their state: a SIGSTOP that is still on its way is taken back too.
        for one in [process, *process.children()]:
            _signal(one, signal.SIGCONT)


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):  # it may have ended by itself meanwhile
        process.send_signal(number)
