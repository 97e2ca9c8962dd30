"""The server's side of the reaper: start it before Postgres, dismiss it after Postgres has stopped."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

from server.paths import Home
from server.postgres import reaper
from server.postgres.binaries import NO_WINDOW, child_environment, find_bin_dir, program
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError


def start_reaper(home: Home, cluster: Cluster) -> subprocess.Popen[bytes]:
    """Start it as a child in a session of its own. Call with the home's server lock held and before `cluster.start()`, so that no
    moment is unwatched. Keep the result until `dismiss`: closing its stdin tells the reaper that the server died. Raises PostgresError.
    """
    cluster.settle()
    pg_ctl = program(find_bin_dir(), "pg_ctl")
    command = [sys.executable, "-I", "-S", reaper.__file__, str(home.lock_file), str(cluster.data), str(home.runtime_file), str(pg_ctl)]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            cwd=cluster.data.anchor,  # so that it keeps no folder from being removed or unmounted
            start_new_session=True,
            creationflags=NO_WINDOW,
        )
    except OSError as error:
        raise PostgresError(
            f"The process that cleans up after a crash cannot be started ({error.strerror}). Install OwnSona again."
        ) from error


def dismiss(process: subprocess.Popen[bytes]) -> None:
    """Tell the reaper that all is in order, and wait for its end. Call when Postgres has stopped."""
    with suppress(BrokenPipeError):  # it was killed; nothing is left to do
        process.communicate(b"q", timeout=10.0)
