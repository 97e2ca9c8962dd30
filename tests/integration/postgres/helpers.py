"""Copies of clusters, and programs that stand in for a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from server.paths import Home
from server.postgres.binaries import find_bin_dir
from server.postgres.privileges import choose_place, data_folder

# Starts the cluster of the home in argv[1], prints postmaster and socket folder, and stays until its stdin ends; it never stops Postgres.
STARTER = """
import os, sys
from pathlib import Path
from server.paths import Home
from server.postgres.cluster import Cluster
cluster = Cluster(Home.at(Path(sys.argv[1])))
info = cluster.start()
print(cluster.pid, info.host, flush=True)
sys.stdin.read()
os._exit(0)
"""


def copy_cluster(source: Home, target: Home) -> None:
    """Copy a stopped cluster into another home, with owner and modes."""
    target.create()
    target.cluster.mkdir(mode=0o700)
    place = choose_place(target, find_bin_dir())
    shutil.copytree(data_folder(source), place.data)
    place.data.chmod(0o700)
    for path in (place.data, *place.data.rglob("*")):
        place.programs.account.own(path)
    for file in ("cluster/checked", "state/postgres-password"):
        folder, _, name = file.partition("/")
        shutil.copy2(getattr(source, folder) / name, getattr(target, folder) / name)


@contextmanager
def python(program: str, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program in a session of its own; it is killed at the end if it still runs."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lets_in(conninfo: str) -> bool:
    """Whether a login works now."""
    try:
        psycopg.connect(conninfo).close()
    except psycopg.OperationalError:
        return False
    return True


def answer(process: subprocess.Popen[str]) -> list[str]:
    """The words of its next line."""
    assert process.stdout is not None
    return process.stdout.readline().split()


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A small file system in memory; skips where mounting is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("mounting a small file system is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
