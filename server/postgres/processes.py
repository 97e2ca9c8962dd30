"""The live processes of one cluster: finding the postmaster, ending it, clearing what a killed one left."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from server.postgres.binaries import Programs
from server.postgres.postmaster import FAST_SECONDS, IMMEDIATE_SECONDS, is_postmaster


def find_postmaster(data: Path) -> psutil.Process | None:
    """The running postmaster of this cluster. Asks the processes, not the pid file, which can be stale, empty or not yet written."""
    for process in _postgres_processes():
        try:
            if is_postmaster(process.cmdline(), data):
                return process
        except psutil.Error:  # gone meanwhile, a zombie, or not ours to look at
            continue
    return None


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; a zombie does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def kill_orphans(data: Path) -> None:
    """End children of a killed postmaster, for which the next start would have to wait. Call only when no postmaster runs.

    They would end by themselves within seconds; nothing that was acknowledged depends on them.
    """
    orphans = [process for process in _postgres_processes() if _works_in(process, data)]
    for process in orphans:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    psutil.wait_procs(orphans, timeout=10.0)


def stop_postmaster(process: psutil.Process, data: Path, programs: Programs, patience: float = FAST_SECONDS) -> None:
    """End it: fast (clients are disconnected, everything is flushed), then immediate (recovery at the next start), then by force."""
    if sys.platform == "win32":
        programs.run("pg_ctl", "stop", "-m", "fast", "-w", "-t", str(int(patience)), "-D", str(data), timeout=patience + 30)
        steps = [(signal.SIGTERM, IMMEDIATE_SECONDS)]  # TerminateProcess
    else:
        # Never SIGTERM: that one waits for the clients to leave.
        steps = [(signal.SIGINT, patience), (signal.SIGQUIT, IMMEDIATE_SECONDS), (signal.SIGKILL, IMMEDIATE_SECONDS)]
        if _is_recovering(process):
            steps.pop(0)  # measured in 18.6: a fast stop during the recovery after a backend's crash never ends
    for number, seconds in steps:
        if not is_alive(process):
            break
        _signal(process, number)
        try:
            process.wait(seconds)
        except psutil.TimeoutExpired:
            continue
    kill_orphans(data)


def _postgres_processes() -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["name"]) if (process.info["name"] or "").removesuffix(".exe") == "postgres"]


def _works_in(process: psutil.Process, data: Path) -> bool:
    """Every process of a cluster has its data folder as working folder."""
    try:
        return Path(process.cwd()) == data
    except psutil.Error:
        return False


def _is_recovering(process: psutil.Process) -> bool:
    """Whether it has a startup process, which replays the log and then ends."""
    try:
        return any(" startup" in " ".join(child.cmdline()) for child in process.children())
    except psutil.Error:
        return False


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):  # it may have ended by itself meanwhile
        process.send_signal(number)
