"""Plain sentences for errors."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors
from psycopg_pool import PoolTimeout

from server.postgres.errors import DISK_FULL, UNREACHABLE, explain, start_reason

SECRET = "the diary says"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errors.DiskFull(SECRET), DISK_FULL),
        (errors.AdminShutdown(SECRET), UNREACHABLE),
        (errors.CrashShutdown(SECRET), UNREACHABLE),
        (errors.CannotConnectNow(SECRET), UNREACHABLE),
        (errors.ConnectionFailure(SECRET), UNREACHABLE),
        (psycopg.OperationalError(SECRET), UNREACHABLE),
        (PoolTimeout(SECRET), UNREACHABLE),
    ],
)
def test_what_the_person_can_do(error: psycopg.Error, sentence: str) -> None:
    assert explain(error) == sentence


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (errors.OutOfMemory(SECRET), "memory"),
        (errors.IoError(SECRET), "Check the disk"),
        (errors.TooManyConnections(SECRET), "connections"),
        (errors.DeadlockDetected(SECRET), "Try again"),
        (errors.QueryCanceled(SECRET), "Try again"),
        (errors.DataCorrupted(SECRET), "backup"),
        (errors.UniqueViolation(SECRET), "23505"),
        (psycopg.ProgrammingError(SECRET), "ProgrammingError"),
    ],
)
def test_texts_of_memories_are_never_quoted(error: psycopg.Error, word: str) -> None:
    assert word in explain(error)
    assert SECRET not in explain(error)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ('FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device', "full"),
        ('FATAL:  could not create lock file "postmaster.pid": Permission denied', "may not be used"),
        ('FATAL:  could not create lock file "postmaster.pid": Read-only file system', "cannot be written"),
        ('FATAL:  lock file "postmaster.pid" already exists', "Another process"),
        ('FATAL:  data directory "/d" has wrong ownership', "another user"),
        ("FATAL:  database files are incompatible with server", "major version"),
        ("FATAL:  could not create shared memory segment: No space", "shared memory"),
        ("LOG:  starting\nFATAL:  something new", "PostgreSQL says: something new."),
        ("LOG:  starting\nLOG:  invalid value for parameter\nFATAL:  contains errors", "says: invalid value for parameter."),
        ("Segmentation fault\n\n", "last words: Segmentation fault."),
        ("", "gave no reason"),
    ],
)
def test_reasons_for_not_starting(log: str, words: str) -> None:
    assert words in start_reason(log)
