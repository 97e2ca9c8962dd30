"""What can be said about the database of a home from outside. Reads only: makes no file, starts nothing, changes nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server.locks import FileLock
from server.paths import Home
from server.postgres import disk
from server.postgres.binaries import Programs, find_bin_dir
from server.postgres.errors import PROCESSOR, PostgresError
from server.postgres.initialise import half_made, password_file, read_password
from server.postgres.postmaster import read_pid_file
from server.postgres.privileges import data_folder
from server.postgres.processes import find_postmaster
from server.postgres.processor import missing_instructions


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""  # empty when all is well


def checks(home: Home) -> list[Check]:
    """All checks of the embedded database, the basic ones first. Never raises for a broken installation or home."""
    data = data_folder(home)
    questions: list[tuple[str, Callable[[str], Check]]] = [
        ("database programs", _programs),
        ("processor", _processor),
        ("database folder", lambda name: _folder(name, data)),
        ("disk space", lambda name: _disk(name, home)),
        ("database version", lambda name: _version(name, data)),
        ("database password", lambda name: _password(name, home, data)),
        ("unfinished creation", lambda name: _half_made(name, data)),
        ("database process", lambda name: _state(name, home, data)),
    ]
    return [_answer(name, question) for name, question in questions]


def _answer(name: str, question: Callable[[str], Check]) -> Check:
    try:
        return question(name)
    except OSError as error:
        return Check(
            name, False, f"cannot be looked at: {error.strerror} ({error.filename})", "Run OwnSona as the user who owns the folder."
        )


def _programs(name: str) -> Check:
    try:
        return Check(name, True, str(find_bin_dir()))
    except PostgresError as error:
        return Check(name, False, "missing", str(error))


def _processor(name: str) -> Check:
    missing = missing_instructions()
    if missing:
        return Check(name, False, f"lacks {', '.join(sorted(missing))}", PROCESSOR)
    return Check(name, True, "has what the vector search needs")


def _folder(name: str, data: Path) -> Check:
    if not data.exists():
        parent = next(folder for folder in data.parents if folder.exists())
        if os.access(parent, os.W_OK | os.X_OK):
            return Check(name, True, f"{data} will be made at the first start")
        return Check(name, False, f"{parent} cannot be written to", "Give this user the right to write there, or set OWNSONA_HOME.")
    if not os.access(data, os.R_OK | os.W_OK | os.X_OK):
        return Check(name, False, f"{data} cannot be read and written", "Give this user the right to write there, or set OWNSONA_HOME.")
    mode = data.stat().st_mode & 0o777
    if sys.platform != "win32" and mode not in (0o700, 0o750):
        return Check(name, False, f"{data} has mode {mode:04o}, so others may enter it", "Start OwnSona; it sets the mode to 0700.")
    return Check(name, True, str(data))


def _disk(name: str, home: Home) -> Check:
    warning = disk.disk_warning(home)
    return Check(name, warning is None, f"{disk.free_bytes(home) // 1_000_000} MB free", warning or "")


def _version(name: str, data: Path) -> Check:
    try:
        found = (data / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        if data.is_dir() and any(data.iterdir()):
            return Check(name, False, f"{data} holds files but no database", "Move the folder away; OwnSona then makes a new one.")
        return Check(name, True, "no database yet")
    try:
        wanted = Programs(find_bin_dir()).run("postgres", "-V").stdout.split()[-1]
    except (PostgresError, IndexError):
        return Check(name, False, f"data of PostgreSQL {found}, and no programs that run", "Install OwnSona again.")
    if wanted.partition(".")[0] != found:
        remedy = "Start the OwnSona version that wrote it, make a backup there, and restore it here."
        return Check(name, False, f"data of PostgreSQL {found}, programs of {wanted}", remedy)
    return Check(name, True, f"PostgreSQL {wanted}")


def _password(name: str, home: Home, data: Path) -> Check:
    if read_password(password_file(home)) is not None:
        return Check(name, True, "kept in the home")
    if data.exists():
        return Check(name, False, "missing or damaged", "Start OwnSona; it sets a new one.")
    return Check(name, True, "none yet")


def _half_made(name: str, data: Path) -> Check:
    leftovers = half_made(data)
    if leftovers:
        return Check(name, False, ", ".join(map(str, leftovers)), "Start OwnSona; it removes the leftovers and begins anew.")
    return Check(name, True, "none")


def _state(name: str, home: Home, data: Path) -> Check:
    running = find_postmaster(data)
    served = FileLock(home.lock_file).held_by_other()
    if running is not None:
        if served:
            return Check(name, True, f"runs with process id {running.pid}, used by OwnSona's server")
        return Check(
            name, False, f"runs with process id {running.pid}, but no OwnSona server uses it", "Start OwnSona; it takes the database over."
        )
    if read_pid_file(data).pid is not None or (data / "postmaster.pid").exists():
        return Check(name, False, "ended without cleaning up (a crash or power cut)", "Start OwnSona; the database recovers by itself.")
    return Check(name, True, "not running")
