"""Making a cluster, and the few things that only its superuser may do.

The superuser cannot log in. What needs it (role, database, extensions: pgvector is not a trusted extension) runs in Postgres'
single-user mode, on a cluster that is not running, with the statements on stdin.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

from server.paths import Home, write_private
from server.postgres import conf
from server.postgres.binaries import Programs
from server.postgres.errors import PROCESSOR, PostgresError, start_reason

EXTENSIONS = ("vector", "pg_trgm")
HALF_MADE = "data.new-"


def create_cluster(data: Path, programs: Programs, password: str) -> None:
    """Make the cluster in a folder beside `data`, then rename it: `data` is either complete or not there. Raises PostgresError."""
    for leftover in half_made(data):
        shutil.rmtree(leftover, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=HALF_MADE, dir=data.parent))
    try:
        programs.account.own(work)
        _initdb(work, programs)
        for name, text in (("pg_hba.conf", conf.HBA), ("app.conf", "")):
            (work / name).write_text(text, "utf-8")
            programs.account.own(work / name)
        with (work / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("include 'app.conf'\n")
        _single_user(work, programs, "template1", _first_statements(password))
        work.rename(data)
        _flush_folder(data.parent)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def check_cluster(data: Path, programs: Programs) -> None:
    """Raises PostgresError for a folder that these programs and this user cannot use; repairs its mode."""
    try:
        found = (data / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        raise PostgresError(f"The folder {data} holds files but no database. Move it away; OwnSona then makes a new one.") from None
    version = programs.run("postgres", "-V").stdout
    wanted = version.split()[-1].partition(".")[0] if version else ""
    if found != wanted:
        raise PostgresError(
            f"The memories in {data} were written by PostgreSQL {found}, and this OwnSona brings {wanted or 'none that runs'}. "
            "Start the OwnSona version that wrote them, make a backup there, and restore it here."
        )
    if sys.platform == "win32":
        return
    if data.stat().st_uid != (os.geteuid() if programs.account.uid is None else programs.account.uid):
        owner = _owner(data)
        raise PostgresError(f"The database in {data} belongs to the user {owner}. Run OwnSona as {owner}, or give the folder to this user.")
    if data.stat().st_mode & 0o777 not in (0o700, 0o750):
        data.chmod(0o700)  # as after restoring a copy of the folder; Postgres refuses what others could read


def _owner(folder: Path) -> str:
    """The owner's name, or the number of one without a name."""
    try:
        return folder.owner()
    except KeyError:
        return str(folder.stat().st_uid)


def half_made(data: Path) -> list[Path]:
    """Folders of a creation that was cut short."""
    return sorted(data.parent.glob(f"{HALF_MADE}*"))


def update_extensions(data: Path, programs: Programs) -> None:
    """Bring the extensions' SQL to the version of the programs. The cluster must not be running. Raises PostgresError."""
    statements = [f"ALTER EXTENSION {name} UPDATE" for name in EXTENSIONS]
    for database in ("template1", conf.DATABASE):
        _single_user(data, programs, database, statements)


def set_password(data: Path, programs: Programs, password: str) -> None:
    """Replace the role's password, for a home whose password file was lost. The cluster must not be running. Raises PostgresError."""
    _single_user(data, programs, "template1", [f"ALTER ROLE {conf.ROLE} PASSWORD '{password}'"])


def password_file(home: Home) -> Path:
    """Where a home keeps the role's password (0600)."""
    return home.state / "postgres-password"


def read_password(file: Path) -> str | None:
    """The password kept in the home, None when there is none or not a whole one."""
    try:
        text = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if len(text) == 64 and text.isalnum() else None


def new_password(file: Path) -> str:
    """A random password, kept in a file that only its owner can read. Letters and digits only, so that it needs no quoting anywhere."""
    password = secrets.token_hex(32)
    write_private(file, password + "\n")
    return password


def _initdb(work: Path, programs: Programs) -> None:
    done = programs.run(
        "initdb", "-D", str(work), "-U", "postgres", "-A", "reject", "-E", "UTF8", "--locale=C", "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8", "--no-instructions",
    )  # fmt: skip
    if done.returncode != 0:
        raise PostgresError(f"The database could not be created in {work.parent}. {start_reason(done.stderr)}")


def _first_statements(password: str) -> list[str]:
    """For template1: databases made later, as by a restore, then have the extensions too."""
    return [
        *(f"CREATE EXTENSION {name}" for name in EXTENSIONS),
        # CREATEDB for restores beside the live database; the settings for the check of an adopted server.
        f"CREATE ROLE {conf.ROLE} LOGIN CREATEDB PASSWORD '{password}'",
        f"GRANT pg_read_all_settings, pg_read_all_stats, pg_checkpoint TO {conf.ROLE}",
        f"CREATE DATABASE {conf.DATABASE} OWNER {conf.ROLE} TEMPLATE template1",
    ]


def _single_user(data: Path, programs: Programs, database: str, statements: list[str]) -> None:
    """One statement a line. Errors are not echoed with their statement, which may hold the password."""
    options = ("-c", "exit_on_error=on", "-c", "log_min_error_statement=panic", "-c", "log_error_verbosity=terse")
    done = programs.run("postgres", "--single", "-D", str(data), *options, database, text="\n".join(statements) + "\n")
    if done.returncode == 0:
        return
    if _died_of_bad_instruction(done.returncode):
        raise PostgresError(PROCESSOR)
    raise PostgresError(f"The database could not be prepared in {data.parent}. {start_reason(done.stderr)}")


def _died_of_bad_instruction(code: int) -> bool:
    """By SIGILL, or by Windows' STATUS_ILLEGAL_INSTRUCTION."""
    return code in (-4, 0xC000001D, 0xC000001D - (1 << 32))


def _flush_folder(folder: Path) -> None:
    """Make the rename last through a power cut (Windows cannot open folders, and does not need it)."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
