"""Migrations: SQL files in order, each applied once, in one transaction, by one server at a time."""

from __future__ import annotations

import re
from importlib.resources import files

import psycopg

from server.memory.ports import StoreError
from server.store.database import translated

LOCK = 0x6F776E73  # "owns": servers on one database migrate one after the other
_NAME = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")


def migrations() -> list[tuple[int, str]]:
    """Number and SQL of each migration, in order."""
    folder = files("server.store").joinpath("migrations")
    return sorted((int(match[1]), file.read_text(encoding="utf-8")) for file in folder.iterdir() if (match := _NAME.match(file.name)))


def migrate(conninfo: str) -> int:
    """Bring the database to the newest schema and return its number. Raises StoreError."""
    wanted = migrations()
    newest = wanted[-1][0]
    with translated(), psycopg.connect(conninfo, application_name="ownsona migration") as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        row = connection.execute("SELECT coalesce(max(number), 0) FROM schema_migrations").fetchone()
        present: int = row[0] if row else 0
        if present > newest:
            raise StoreError(
                f"The memories were last opened by a newer OwnSona (schema {present}, this version knows {newest}). Update OwnSona."
            )
        for number, sql in wanted:
            if number > present:
                connection.execute(sql)
                connection.execute("INSERT INTO schema_migrations (number) VALUES (%s)", [number])
    return newest
