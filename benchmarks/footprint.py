"""Memory and disk of a running server.

    python -m benchmarks.footprint --home DIR      # of the server of this home

PSS shares a page among the processes that have it, so the sum over processes is what the computer really gives. Linux only.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import psutil

from server.joining import announced
from server.paths import Home
from server.postgres.cluster import Cluster

MB = 2**20


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of one part of the server."""

    processes: int
    pss: int
    rss: int


def processes(home: Home, server_pid: int) -> dict[str, list[psutil.Process]]:
    """The processes of a server by part. The postmaster may belong to somebody else: a server can take it over."""
    server = psutil.Process(server_pid)
    found: dict[str, list[psutil.Process]] = {"server": [server], "worker": [], "reaper": [], "Postgres": []}
    postmaster = _postmaster(home)
    if postmaster is not None:
        found["Postgres"] = [postmaster, *postmaster.children(recursive=True)]
    database = {process.pid for process in found["Postgres"]}
    for child in server.children(recursive=True):
        line = " ".join(child.cmdline())
        if child.pid not in database:
            part = "worker" if "embedding.worker" in line else "reaper" if "reaper" in line else "server"
            found[part].append(child)
    return found


def memory(home: Home, server_pid: int) -> dict[str, Memory]:
    """Memory by part, with the sum under "together"."""
    parts: dict[str, Memory] = {}
    for name, members in processes(home, server_pid).items():
        infos = [process.memory_full_info() for process in members]
        parts[name] = Memory(len(members), sum(info.pss for info in infos), sum(info.rss for info in infos))
    parts["together"] = Memory(*(sum(getattr(part, field) for part in parts.values()) for field in ("processes", "pss", "rss")))
    return parts


def processor_time(home: Home, server_pid: int) -> float:
    """Seconds that all parts together have computed so far."""
    times = [process.cpu_times() for members in processes(home, server_pid).values() for process in members]
    return sum(time.user + time.system for time in times)


def disk(home: Home) -> int:
    """Bytes of the cluster's files."""
    return sum(file.stat().st_size for file in Cluster(home).data.rglob("*") if file.is_file())


def _postmaster(home: Home) -> psutil.Process | None:
    file = Cluster(home).data / "postmaster.pid"
    return psutil.Process(int(file.read_text().splitlines()[0])) if file.exists() else None


def rows(parts: dict[str, Memory]) -> list[str]:
    """Markdown rows: part, processes, PSS, RSS."""
    return [f"| {name} | {part.processes} | {part.pss / MB:.0f} MB | {part.rss / MB:.0f} MB |" for name, part in parts.items()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Memory and disk of a running server.")
    parser.add_argument("--home", type=Path, required=True)
    home = Home.at(parser.parse_args().home)
    running = announced(home)
    assert running is not None, "no server runs in this home"
    print("| part | processes | PSS | RSS |", "|---|---|---|---|", *rows(memory(home, running.pid)), sep="\n")
    print(f"\ndisk: {disk(home) / MB:.0f} MB")


if __name__ == "__main__":
    main()
