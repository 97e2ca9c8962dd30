"""`ownsona backup` and `ownsona restore`: asking the running server, and waiting for the end."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Mapping

from server.joining import LocalApiError, ask, find
from server.paths import Home

DONE, FAILED = 0, 1
NOT_RUNNING = "OwnSona is not running. Start it with `ownsona serve`, then try again."


def passphrase(*, twice: bool) -> str:
    """A passphrase from the terminal, or the first line of stdin. Raises SystemExit with a sentence where there is none."""
    if not sys.stdin.isatty():
        given = sys.stdin.readline().rstrip("\r\n")
    else:
        given = getpass.getpass("Passphrase: ")
        if twice and given != getpass.getpass("Again: "):
            raise SystemExit("The two are not the same. Nothing was done.")
    if not given:
        raise SystemExit("A passphrase is needed. Nothing was done.")
    return given


def run_job(home: Home, path: str, body: Mapping[str, str], say: Callable[[str], None], complain: Callable[[str], None]) -> int:
    """Start work on the running server and wait for its end; the exit code."""
    running = find(home)
    if running is None:
        complain(NOT_RUNNING)
        return FAILED
    try:
        job = ask(home, running, "POST", path, body=body)["job"]
        while job["state"] == "running":
            job = ask(home, running, "GET", f"/jobs/{job['id']}/end")["job"]
    except LocalApiError as error:
        complain(str(error))
        return FAILED
    if job["state"] == "done":
        say(str(job["message"]))
        return DONE
    complain(str(job["message"] or "It was stopped."))
    return FAILED
