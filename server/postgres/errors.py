"""What went wrong with the database, said so that a person can act on it."""

from __future__ import annotations

import re

import psycopg

OWN_SERVER = "Set OWNSONA_DATABASE_URL to a PostgreSQL server of your own with pgvector 0.8 or later"
PROCESSOR = (
    "The database brought along needs newer processor instructions (AVX2 on Intel and AMD, SVE on ARM Linux) than this computer offers. "
    f"{OWN_SERVER}; OwnSona then uses that one."
)
DISK_FULL = (
    "The disk that holds the memories is full, so nothing can be written; what was saved before is safe. "
    "Free some space (500 MB or more) and try again."
)
UNREACHABLE = (
    "The database cannot be reached at the moment: it stopped, or is starting again. What was saved before is safe. "
    "Try again in a few seconds; if it stays like this, run `ownsona doctor`."
)

# By the beginning of the SQLSTATE.
_SENTENCES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("53100",), DISK_FULL),
    (("53200",), "The database ran out of memory for this request. Close other programs, or ask for less at once."),
    (("53300",), "All connections of the database are in use. Try again in a moment."),
    (("58030",), "The disk reported an error while the database used it. Check the disk and its cable, and make a backup soon."),
    (
        ("40001", "40P01", "55P03", "57014"),
        "The database gave up on this request because another one was in its way or it took too long. Try again.",
    ),
    (("57P0", "08"), UNREACHABLE),
    (("XX001", "XX002"), "Files of the database are damaged. Restore the newest backup, and check the disk."),
)

# What Postgres writes when it cannot start, in the order of trust; its messages are English, as the cluster's locale is C.
_START_REASONS = (
    ("no space left on device", DISK_FULL),
    ("check free disk space", DISK_FULL),
    ("disk quota exceeded", DISK_FULL),
    (
        "read-only file system",
        "The folder of the database lies on a disk that cannot be written to. Make it writable, or set OWNSONA_HOME.",
    ),
    ("has wrong ownership", "The folder of the database belongs to another user. Run OwnSona as that user, or change the folder's owner."),
    (
        "permission denied",
        "The folder of the database, or one above it, may not be used by this user. Give this user the right to write there.",
    ),
    (
        "are incompatible with server",
        "The database was written by another major version of PostgreSQL. Start the OwnSona version that wrote it.",
    ),
    ("lock file", "Another process uses this database already. Stop it, or choose another folder with OWNSONA_HOME."),
    ("shared memory", "The system gave the database no shared memory. Close other programs, or raise the limit (kernel.shmmni, /dev/shm)."),
    ("invalid data in file", "Files of the database are damaged. Restore the newest backup."),
    ("could not locate a valid checkpoint", "Files of the database are damaged. Restore the newest backup."),
)


class PostgresError(Exception):
    """The message is for the person: what happened, why, and what to do. It holds neither passwords nor texts of memories."""


def explain(error: psycopg.Error) -> str:
    """One plain sentence or two for an error that a database call raised. Never quotes the statement, its values or the server's text."""
    state = error.sqlstate or ("" if isinstance(error, psycopg.OperationalError) else None)
    if state is None:
        return _unexpected(type(error).__name__)
    for prefixes, sentence in _SENTENCES:
        if state.startswith(prefixes):
            return sentence
    return _unexpected(state) if state else UNREACHABLE  # without a code: no connection, connection lost, none free in time


def _unexpected(code: str) -> str:
    return f"The database refused a request (code {code}). This is a fault in OwnSona; please report it."


def start_reason(log: str) -> str:
    """Why Postgres did not start, from the log of that start."""
    lowered = log.lower()
    for needle, sentence in _START_REASONS:
        if needle in lowered:
            return sentence
    # The first complaint is the cause, those after it follow from it; faults in a settings file come at the level LOG.
    complaint = re.search(r"(?:LOG: +(?=invalid value|unrecognized|syntax error)|(?:ERROR|FATAL|PANIC|error): +)(.+)", log)
    if complaint:
        return f"PostgreSQL says: {complaint[1].strip().rstrip('.')}."
    lines = log.split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), None)
    return f"PostgreSQL's last words: {last.rstrip('.')}." if last else "PostgreSQL gave no reason."
