"""A server of the person's own (`OWNSONA_DATABASE_URL`): is it there, and good enough?"""

from __future__ import annotations

import psycopg

from server.postgres.errors import PostgresError

NAME = "OWNSONA_DATABASE_URL"
OLDEST_SERVER = 150000
OLDEST_VECTOR = (0, 8)

# What libpq says, and what it means. Its own text is never shown: it can quote parts of a mistyped URL, password included.
_CONNECT_REASONS = (
    ("password authentication failed", "the server refused the user name or the password. Correct them in"),
    ("no password supplied", "the server wants a password. Add it to"),
    ("no pg_hba.conf entry", "the server does not let this user in from this computer. Change its pg_hba.conf, or"),
    ("does not exist", "the server has no such database or user. Create it, or correct"),
    ("refused", "nothing listens at that address. Start the server, or correct"),
    ("no such file", "nothing listens at that socket. Start the server, or correct"),
    ("translate host name", "the host is unknown. Correct it in"),
    ("resolve host", "the host is unknown. Correct it in"),
    ("timeout", "the server did not answer in time. Check the network, or correct"),
)


def check_external(conninfo: str) -> None:
    """Connect once and look. Raises PostgresError when the server is out of reach, older than 15, or without pgvector 0.8."""
    try:
        with psycopg.connect(conninfo, connect_timeout=10, autocommit=True) as connection:
            version = connection.info.server_version
            encoding = connection.info.parameter_status("server_encoding")
            rows = connection.execute(
                "SELECT coalesce(installed_version, default_version), installed_version IS NOT NULL"
                " FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchall()
    except psycopg.ProgrammingError:  # libpq cannot parse it
        raise PostgresError(f"{NAME} is not a valid address. It looks like postgresql://user:password@host:5432/database.") from None
    except psycopg.Error as error:
        raise PostgresError(f"The database that {NAME} names cannot be used: {_connect_reason(error)} {NAME}.") from None
    vector, installed = rows[0] if rows else (None, False)
    problem = judge(version, vector, installed, encoding)
    if problem:
        raise PostgresError(problem)


def judge(version: int, vector: str | None, installed: bool, encoding: str | None) -> str | None:
    """What is wrong with a server, as a sentence with the remedy; None when it will do.

    `version` as libpq gives it (150003), `vector` the version of pgvector that is installed in the database or, if not, available.
    """
    if version < OLDEST_SERVER:
        return f"The server that {NAME} names is PostgreSQL {version // 10000}; OwnSona needs 15 or later. Upgrade it, or name another."
    if encoding != "UTF8":
        return f"The database that {NAME} names has the encoding {encoding}; OwnSona needs UTF8. Create one with ENCODING 'UTF8'."
    if vector is None:
        return f"The server that {NAME} names has no pgvector. Install pgvector 0.8 or later there (https://github.com/pgvector/pgvector)."
    if _numbers(vector) < OLDEST_VECTOR:
        remedy = (
            "install a newer one there and run ALTER EXTENSION vector UPDATE in the database" if installed else "install a newer one there"
        )
        return f"The server that {NAME} names has pgvector {vector}; OwnSona needs 0.8 or later: {remedy}."
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


def _connect_reason(error: psycopg.Error) -> str:
    text = str(error).lower()
    for needle, sentence in _CONNECT_REASONS:
        if needle in text:
            return sentence
    return f"the connection failed ({error.sqlstate or type(error).__name__}). Check"
