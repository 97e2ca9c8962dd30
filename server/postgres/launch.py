"""Starting a postmaster and waiting until it lets us in; what it takes to find the way to a running one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from server.postgres import conf
from server.postgres.binaries import Account, Programs
from server.postgres.errors import PostgresError, start_reason
from server.postgres.postmaster import SOCKET_PREFIX, read_pid_file

KEPT_LOGS = 3
LONGEST_SOCKET_DIR = 80  # the system allows about 90 for folder and file name together on macOS, 107 on Linux
POLL_SECONDS = 0.02
STALE_SECONDS = 3600.0  # a start that is under way has its folder for seconds before anything listens in it


@dataclass(frozen=True, slots=True)
class ConnectionInfo:
    """How to log in to the cluster."""

    host: str  # the socket's folder, or 127.0.0.1
    port: int
    password: str = field(repr=False)
    user: str = conf.ROLE
    dbname: str = conf.DATABASE

    def conninfo(self, dbname: str | None = None) -> str:
        """libpq's keyword string, with the password: never log it."""
        return make_conninfo(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            dbname=dbname or self.dbname,
            connect_timeout=10,
            sslmode="disable",
        )


def new_socket_dir(account: Account, base: Path | None = None) -> Path:
    """A fresh folder that only the account may enter, with a path short enough for a socket. Raises PostgresError."""
    base = base or Path(tempfile.gettempdir())
    if len(str(base)) + 30 > LONGEST_SOCKET_DIR or account.uid is not None:
        base = Path("/tmp")  # noqa: S108 - mkdtemp makes a private folder in it
    try:
        # Neither the runtime folder of the session, which is removed at logout, nor the home, whose path can be too long.
        remove_stale(base, account)
        folder = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=base))
        account.own(folder)
    except OSError as error:
        raise PostgresError(
            f"No folder for the database's socket could be made in {base} ({error.strerror}). Set TMPDIR to a folder you may write to."
        ) from error
    return folder


def remove_stale(base: Path, account: Account) -> None:
    """Remove socket folders that nobody uses: a home whose processes were all killed at once, and that was then removed, leaves one."""
    own = {os.geteuid() if sys.platform != "win32" else 0, account.uid}
    for folder in base.glob(f"{SOCKET_PREFIX}*"):
        with suppress(OSError):
            facts = folder.lstat()
            if facts.st_uid in own and time.time() - facts.st_mtime > STALE_SECONDS and not any(map(_listens, folder.glob(".s.PGSQL.*"))):
                shutil.rmtree(folder, ignore_errors=True)


def _listens(file: Path) -> bool:
    """Whether a process is behind a socket's file."""
    if file.suffix == ".lock":
        return False
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(file))
        except ConnectionRefusedError:
            return False
        except OSError:  # a full queue, or a halted server
            return True
    return True


def free_port() -> int:
    """A loopback port that is free now; another program can still be faster."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def rotate_log(log: Path) -> None:
    """Make room for the log of one start; the logs of the starts before are kept as .1, .2, ..."""
    for number in range(KEPT_LOGS - 1, -1, -1):
        old = log.with_name(f"{log.name}.{number}") if number else log
        if old.exists():
            old.replace(log.with_name(f"{log.name}.{number + 1}"))


def log_tail(log: Path) -> str:
    """The end of the log of this start."""
    try:
        return log.read_bytes()[-20_000:].decode("utf-8", "replace")
    except OSError:
        return ""


def launch(data: Path, programs: Programs, log: Path) -> subprocess.Popen[bytes]:
    """Start the postmaster as our child; on Windows pg_ctl starts it, for it sheds administrator rights, and is itself the child."""
    rotate_log(log)
    if sys.platform == "win32":
        with Path("NUL").open("wb") as nowhere:
            return programs.spawn("pg_ctl", ["start", "-W", "-s", "-D", str(data), "-l", str(log)], nowhere)
    with log.open("wb") as output:
        log.chmod(0o600)
        return programs.spawn("postgres", ["-D", str(data)], output)


def wait_until_ready(data: Path, log: Path, has_ended: Callable[[], bool], deadline: float, progress: Callable[[str], None]) -> None:
    """Wait until postmaster.pid says so. `deadline` in seconds of time.monotonic(). Raises PostgresError when it ends or takes too long."""
    patient_until = time.monotonic() + 3.0
    while read_pid_file(data).status != "ready":
        if has_ended():
            raise PostgresError(f"The database did not start. {start_reason(log_tail(log))} Details are in {log}.")
        now = time.monotonic()
        if now >= deadline:
            raise PostgresError(
                "The database was not ready in time. After a crash it can need minutes to recover: start again to give it more time. "
                f"Details are in {log}."
            )
        if now >= patient_until:
            progress("The database is recovering; this can take a minute or two.")
            patient_until = deadline
        time.sleep(POLL_SECONDS)


def log_in(info: ConnectionInfo, data: Path) -> psycopg.Connection:
    """A connection, after checking that it leads to this very cluster. Raises PostgresError or psycopg.Error."""
    connection = psycopg.connect(info.conninfo(), autocommit=True)
    try:
        row = connection.execute("SELECT current_setting('data_directory'), current_setting('server_encoding')").fetchone()
        if row is None or Path(row[0]) != data:
            raise PostgresError("Another database answered in place of OwnSona's. Stop OwnSona, then start it again.")
        if row[1] != "UTF8":
            raise PostgresError(
                f"The database's encoding is {row[1]}, but only UTF8 holds every language. Restore a backup into a new home."
            )
    except BaseException:
        connection.close()
        raise
    return connection
