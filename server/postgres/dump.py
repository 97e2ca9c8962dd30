"""Dumping a database into a file and restoring it into an empty one, with Postgres' own programs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from server.postgres.binaries import Programs
from server.postgres.errors import PostgresError

PATIENCE = 3600.0  # seconds
# Extensions are in every database already, and belong to the superuser.
RESTORE_OPTIONS = ("--no-owner", "--no-privileges", "--no-comments", "--exit-on-error", "--single-transaction")


def dump(programs: Programs, conninfo: str, target: Path, near: Path) -> None:
    """Write all of a database into `target` (pg_dump's own compressed format). `near` is a folder that Postgres' account may enter.

    Raises PostgresError, OSError.
    """
    with _workplace(programs, conninfo, near) as (folder, address):
        work = folder / "database.dump"
        _run(programs, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file", str(work), "--dbname", address)
        shutil.move(work, target)


def restore(programs: Programs, conninfo: str, source: Path, near: Path) -> None:
    """Fill an empty database from a dump. Raises PostgresError, OSError."""
    with _workplace(programs, conninfo, near) as (folder, address):
        work, contents = folder / "database.dump", folder / "contents"
        shutil.copyfile(source, work)
        programs.account.own(work)
        listing = _run(programs, "pg_restore", "--list", str(work))
        contents.write_text("\n".join(line for line in listing.splitlines() if " EXTENSION " not in line), encoding="utf-8")
        programs.account.own(contents)
        _run(programs, "pg_restore", *RESTORE_OPTIONS, "--use-list", str(contents), "--dbname", address, str(work))


def _run(programs: Programs, name: str, *arguments: str) -> str:
    done = programs.run(name, *arguments, timeout=PATIENCE)
    if done.returncode != 0:
        # What the programs print may quote rows.
        raise PostgresError(
            f"The database program {name} failed (exit code {done.returncode}). The file may be damaged or of a newer version, or the disk"
            " full."
        )
    return done.stdout


@contextmanager
def _workplace(programs: Programs, conninfo: str, near: Path) -> Iterator[tuple[Path, str]]:
    """A private folder, and an address that names a password file in it: a password must not stand in a command line."""
    folder = Path(tempfile.mkdtemp(prefix=".dump-", dir=near))
    try:
        programs.account.own(folder)
        parts = conninfo_to_dict(conninfo)
        password = str(parts.pop("password", "") or "")
        if password:
            file = folder / "pass"
            file.touch(mode=0o600)
            escaped = password.replace("\\", "\\\\").replace(":", "\\:")
            file.write_text(f"*:*:*:*:{escaped}\n", encoding="utf-8")
            programs.account.own(file)
            parts["passfile"] = str(file)
        yield folder, make_conninfo("", **parts)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
