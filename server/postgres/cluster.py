"""The embedded cluster of one home: create, start, adopt, watch, stop."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import psutil
import psycopg

from server.locks import FileLock
from server.paths import Home
from server.postgres import conf, initialise, launch, processes
from server.postgres.binaries import find_bin_dir, fingerprint, program
from server.postgres.canary import fly
from server.postgres.errors import PROCESSOR, PostgresError, explain
from server.postgres.launch import ConnectionInfo
from server.postgres.postmaster import is_own_socket_dir, read_pid_file
from server.postgres.privileges import Place, choose_place, data_folder
from server.postgres.processor import missing_instructions

LOCK_SECONDS = 120.0


class Status(StrEnum):
    """What a Cluster object knows about its postmaster."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    DIED = "died"  # it ran, and ended without us


class Cluster:
    """Postgres for one home. Methods block, and may be called from any thread and from several processes.

    `start` adopts a postmaster that an earlier server left running. `stop` ends the postmaster whoever started it, so only
    the holder of the home's server lock may call it. After `poll` says False, `restart` brings it back.
    """

    def __init__(self, home: Home, progress: Callable[[str], None] = lambda message: None) -> None:
        self.home = home
        self._progress = progress
        self._place: Place | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._process: psutil.Process | None = None
        self._socket_dir: Path | None = None
        self._port: int | None = None
        self._starting = False

    @property
    def data(self) -> Path:
        """The data folder (it need not exist yet)."""
        return self._place.data if self._place else data_folder(self.home)

    @property
    def log(self) -> Path:
        """The log of the current start; those before are beside it as .1, .2, .3."""
        return self.home.cluster / "postgres.log"

    @property
    def password_file(self) -> Path:
        """Holds the role's password (0600)."""
        return self.home.state / "postgres-password"

    @property
    def pid(self) -> int | None:
        """Process id of the postmaster, None when there is none."""
        return self._process.pid if self._process and self.poll() else None

    @property
    def status(self) -> Status:
        """Never blocks."""
        if self._starting:
            return Status.STARTING
        if self._process is None:
            return Status.STOPPED
        return Status.RUNNING if self.poll() else Status.DIED

    def settle(self) -> None:
        """Decide account and data folder without starting anything, so that `data` is final. Raises PostgresError."""
        self._required_place()

    def poll(self) -> bool:
        """Whether the postmaster runs. Cheap enough to ask every second."""
        return self._process is not None and processes.is_alive(self._process)

    def start(self, timeout: float = 120.0) -> ConnectionInfo:
        """Create the cluster if there is none, adopt its postmaster if there is one, else start one; returns when a login worked.

        `timeout` in seconds is for the start alone: a first creation comes on top. Raises PostgresError.
        """
        with self._operation():
            self._starting = True
            try:
                return self._start(timeout)
            except OSError as error:
                raise PostgresError(f"The database's files cannot be used: {error.strerror or error} ({error.filename}).") from error
            except psycopg.Error as error:
                raise PostgresError(f"The database started but cannot be used. {explain(error)} Details are in {self.log}.") from error
            finally:
                self._starting = False

    def restart(self, timeout: float = 120.0) -> ConnectionInfo:
        """Bring it back after it died, or stop and start it. The way to log in stays the same where possible: use the returned one."""
        with self._operation():
            self._end(keep_socket_dir=True)
        return self.start(timeout)

    def stop(self) -> None:
        """End the postmaster, fast, or by force after 8 seconds, and remove its socket's folder. Does nothing when none runs."""
        with self._operation():
            self._end(keep_socket_dir=False)

    @contextmanager
    def _operation(self) -> Iterator[None]:
        """One process, and one thread in it, at a time."""
        try:
            self.home.create()
            self.home.cluster.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self.home.cluster / "postgres.lock")
            held = lock.acquire(LOCK_SECONDS)
        except OSError as error:
            raise PostgresError(
                f"The folder of the database cannot be used: {error.strerror} ({error.filename}). "
                "Give this user the right to write there, or choose another folder with OWNSONA_HOME."
            ) from error
        if not held:
            raise PostgresError("Another OwnSona process is starting or stopping this database and does not finish. End that process.")
        try:
            yield
        finally:
            lock.release()

    def _start(self, timeout: float) -> ConnectionInfo:
        if missing_instructions():
            raise PostgresError(PROCESSOR)
        self._place = choose_place(self.home, find_bin_dir())
        running = processes.find_postmaster(self._place.data)
        if running is not None:
            info = self._adopt(running, timeout)
            if info is not None:
                return info
            processes.stop_postmaster(running, self._place.data, self._place.programs)
        self._forget_child(kill=running is None)
        password = self._prepare_files()
        attempts = 3 if sys.platform == "win32" else 1  # another program can take the free port before Postgres does
        for attempt in range(attempts):
            try:
                return self._launch(password, timeout)
            except PostgresError:
                if attempt + 1 == attempts:
                    raise
        raise AssertionError("unreachable")

    def _adopt(self, running: psutil.Process, timeout: float) -> ConnectionInfo | None:
        """Take over a postmaster of this cluster that runs already; None when it must be replaced."""
        place, password = self._required_place(), initialise.read_password(self.password_file)
        if password is None or not _runs_program(running, program(place.programs.bin_dir, "postgres")):
            return None
        self._progress("Joining the running database.")
        try:
            launch.wait_until_ready(
                place.data, self.log, lambda: not processes.is_alive(running), time.monotonic() + timeout, self._progress
            )
            facts = read_pid_file(place.data)
            info = _connection_info(facts.socket_dir, facts.port, password)
            self._first_login(info)
        except (PostgresError, psycopg.Error):
            return None
        self._process, self._socket_dir, self._port = running, facts.socket_dir, facts.port
        return info

    def _prepare_files(self) -> str:
        """Everything that must be right before the postmaster starts; returns the password. No postmaster runs."""
        place = self._required_place()
        data, programs = place.data, place.programs
        password = initialise.read_password(self.password_file)
        if data.is_dir() and not any(data.iterdir()):
            data.rmdir()
        if not data.exists():
            self._progress("Creating the database; this happens once.")
            self._checked_file.unlink(missing_ok=True)
            password = password or initialise.new_password(self.password_file)
            initialise.create_cluster(data, programs, password)
            return password
        _check_folder(place)
        processes.kill_orphans(data)
        (data / "postmaster.pid").unlink(missing_ok=True)  # stale: no process belongs to it
        if password is None:
            password = initialise.new_password(self.password_file)
            initialise.set_password(data, programs, password)
        if not self._is_checked():
            initialise.update_extensions(data, programs)
        return password

    def _launch(self, password: str, timeout: float) -> ConnectionInfo:
        place = self._required_place()
        info = self._write_address(password)
        self._progress("Starting the database.")
        self._child = launch.launch(place.data, place.programs, self.log)
        try:
            launch.wait_until_ready(place.data, self.log, self._has_ended, time.monotonic() + timeout, self._progress)
            self._process = processes.find_postmaster(place.data)
            if self._process is None:
                raise PostgresError(f"The database stopped right after its start. Details are in {self.log}.")
            self._first_login(info)
        except BaseException:
            self._end(keep_socket_dir=False)
            raise
        return info

    def _write_address(self, password: str) -> ConnectionInfo:
        """Choose where to listen, and write the cluster's settings."""
        place = self._required_place()
        if sys.platform == "win32":
            self._port = launch.free_port()
            address = conf.loopback_address(self._port)
        else:
            self._port = conf.SOCKET_PORT
            if self._socket_dir is None or not self._socket_dir.is_dir():
                self._socket_dir = launch.new_socket_dir(place.programs.account)
            for stale in self._socket_dir.iterdir():
                stale.unlink()
            address = conf.socket_address(self._socket_dir)
        file = place.data / "app.conf"
        file.write_text(conf.render(address, conf.shared_memory_size()), "utf-8")
        place.programs.account.own(file)
        return _connection_info(self._socket_dir, self._port, password)

    def _first_login(self, info: ConnectionInfo) -> None:
        place = self._required_place()
        with launch.log_in(info, place.data) as connection:
            if not self._is_checked():
                self._progress("Checking the processor.")
                fly(connection)
                self._checked_file.write_text(fingerprint(place.programs.bin_dir), "ascii")

    @property
    def _checked_file(self) -> Path:
        """Names the programs with which the canary flew on this cluster."""
        return self.home.cluster / "checked"

    def _is_checked(self) -> bool:
        try:
            return self._checked_file.read_text("ascii") == fingerprint(self._required_place().programs.bin_dir)
        except (OSError, UnicodeDecodeError):
            return False

    def _has_ended(self) -> bool:
        if self._child is None or self._child.poll() is None:
            return False
        if sys.platform == "win32" and self._child.returncode == 0:  # pg_ctl itself ends at once
            return processes.find_postmaster(self.data) is None
        return True

    def _end(self, *, keep_socket_dir: bool) -> None:
        place = self._place or choose_place(self.home, find_bin_dir())
        running = processes.find_postmaster(place.data)
        used = read_pid_file(place.data).socket_dir
        if running is not None:
            processes.stop_postmaster(running, place.data, place.programs)
        self._forget_child(kill=running is None)
        self._process = None
        if keep_socket_dir:
            return
        for folder in {used, self._socket_dir}:
            if folder is not None and is_own_socket_dir(folder):
                shutil.rmtree(folder, ignore_errors=True)
        self._socket_dir = None

    def _forget_child(self, *, kill: bool) -> None:
        if self._child is not None:
            if kill:
                self._child.kill()  # it may not have become the postmaster yet; does nothing to one that has ended
            self._child.wait()
            self._child = None

    def _required_place(self) -> Place:
        if self._place is None:
            self._place = choose_place(self.home, find_bin_dir())
        return self._place


def _connection_info(socket_dir: Path | None, port: int | None, password: str) -> ConnectionInfo:
    return ConnectionInfo(host=str(socket_dir) if socket_dir else "127.0.0.1", port=port or conf.SOCKET_PORT, password=password)


def _runs_program(process: psutil.Process, file: Path) -> bool:
    """Whether a process runs this very file, and not one that an update has replaced."""
    try:
        return Path(process.exe()).samefile(file)
    except (psutil.Error, OSError):
        return False


def _check_folder(place: Place) -> None:
    """Raises PostgresError for a folder that these programs and this user cannot use; repairs its mode."""
    data = place.data
    try:
        found = (data / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        raise PostgresError(f"The folder {data} holds files but no database. Move it away; OwnSona then makes a new one.") from None
    version = place.programs.run("postgres", "-V").stdout
    wanted = version.split()[-1].partition(".")[0] if version else ""
    if found != wanted:
        raise PostgresError(
            f"The memories in {data} were written by PostgreSQL {found}, and this OwnSona brings {wanted or 'none that runs'}. "
            "Start the OwnSona version that wrote them, make a backup there, and restore it here."
        )
    if place.programs.account.uid is None and sys.platform != "win32" and data.stat().st_uid != os.geteuid():
        owner = data.owner()
        raise PostgresError(f"The database in {data} belongs to the user {owner}. Run OwnSona as {owner}, or give the folder to this user.")
    if sys.platform != "win32" and data.stat().st_mode & 0o777 not in (0o700, 0o750):
        data.chmod(0o700)  # as after restoring a copy of the folder; Postgres refuses what others could read
