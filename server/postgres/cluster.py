"""The embedded cluster of one home: create, start, adopt, watch, stop."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from server.locks import FileLock
from server.paths import Home
from server.postgres import canary, conf, initialise, launch, processes
from server.postgres.binaries import find_bin_dir, program
from server.postgres.errors import PROCESSOR, PostgresError, explain
from server.postgres.launch import ConnectionInfo
from server.postgres.postmaster import is_own_socket_dir, read_pid_file
from server.postgres.privileges import Place, choose_place, data_folder
from server.postgres.processor import missing_instructions

LOCK_SECONDS = 120.0


class Cluster:
    """Postgres for one home. Methods block, and may be called from any thread and from several processes.

    `start` adopts a postmaster that an earlier server left running. `stop` ends the postmaster whoever started it, so only
    the holder of the home's server lock may call it. After `poll` says False, `start` brings it back.
    """

    def __init__(self, home: Home, progress: Callable[[str], None] = lambda message: None) -> None:
        self.home = home
        self._progress = progress
        self._place: Place | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._process: psutil.Process | None = None
        self._socket_dir: Path | None = None

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
        return initialise.password_file(self.home)

    @property
    def pid(self) -> int | None:
        """Process id of the postmaster, None when there is none."""
        return self._process.pid if self._process and self.poll() else None

    def settle(self) -> Place:
        """Decide account and data folder without starting anything, so that `data` is final. Raises PostgresError."""
        if self._place is None:
            self._place = choose_place(self.home, find_bin_dir())
        return self._place

    def poll(self) -> bool:
        """Whether the postmaster runs. Cheap enough to ask every second."""
        return self._process is not None and processes.is_alive(self._process)

    def start(self, timeout: float = 120.0) -> ConnectionInfo:
        """Create the cluster if there is none, adopt its postmaster if there is one, else start one; returns when a login worked.

        After a death the way to log in stays the same where possible: use the returned one. `timeout` in seconds is for the start
        alone: a first creation comes on top. Raises PostgresError.
        """
        with self._operation():
            return self._start(timeout)

    def stop(self) -> None:
        """End the postmaster, fast, or by force after 8 seconds, and remove its socket's folder. Does nothing when none runs."""
        if self.home.cluster.is_dir():
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
        """Start; on failure end what was begun, and translate what the system and the database say."""
        try:
            if missing_instructions():
                raise PostgresError(PROCESSOR)
            return self._adopt(timeout) or self._start_new(timeout)
        except BaseException as error:
            self._end(keep_socket_dir=False)
            if isinstance(error, OSError):
                raise PostgresError(f"The database's files cannot be used: {error.strerror or error} ({error.filename}).") from error
            if isinstance(error, psycopg.Error):
                raise PostgresError(f"The database started but cannot be used. {explain(error)} Details are in {self.log}.") from error
            raise

    def _adopt(self, timeout: float) -> ConnectionInfo | None:
        """Take over a postmaster of this cluster that runs already; None when there is none or it must be replaced."""
        place, password = self.settle(), initialise.read_password(self.password_file)
        running = processes.find_postmaster(place.data)
        if running is None or password is None or not _runs_program(running, program(place.programs.bin_dir, "postgres")):
            return None
        self._progress("Joining the running database.")
        deadline = time.monotonic() + timeout
        try:
            launch.wait_until_ready(place.data, self.log, lambda: not processes.is_alive(running), deadline, self._progress)
            facts = read_pid_file(place.data)
            info = _connection_info(facts.socket_dir, facts.port, password)
            self._log_in(info)
        except (PostgresError, psycopg.Error):
            return None
        self._process, self._socket_dir = running, facts.socket_dir
        return info

    def _start_new(self, timeout: float) -> ConnectionInfo:
        self._end(keep_socket_dir=True)  # one that could not be adopted
        password = self._prepare_files()
        if sys.platform == "win32":
            for _ in range(2):  # another program can take the free port before Postgres does
                with suppress(PostgresError):
                    return self._launch(password, timeout)
                self._end(keep_socket_dir=True)
        return self._launch(password, timeout)

    def _prepare_files(self) -> str:
        """Everything that must be right before the postmaster starts; returns the password. No postmaster runs."""
        place = self.settle()
        data, programs = place.data, place.programs
        password = initialise.read_password(self.password_file)
        if data.is_dir() and not any(data.iterdir()):
            data.rmdir()
        if not data.exists():
            self._progress(f"Creating the database in {data}; this happens once.")
            self._flight_record.unlink(missing_ok=True)
            password = password or initialise.new_password(self.password_file)
            initialise.create_cluster(data, programs, password)
            return password
        initialise.check_cluster(data, programs)
        processes.kill_orphans(data)
        (data / "postmaster.pid").unlink(missing_ok=True)  # stale: no process belongs to it
        if password is None:
            password = initialise.new_password(self.password_file)
            initialise.set_password(data, programs, password)
        if not canary.has_flown(self._flight_record, programs.bin_dir):
            initialise.update_extensions(data, programs)
        return password

    def _launch(self, password: str, timeout: float) -> ConnectionInfo:
        place = self.settle()
        info = self._write_address(password)
        self._progress("Starting the database.")
        deadline = time.monotonic() + timeout
        self._child = launch.launch(place.data, place.programs, self.log)
        launch.wait_until_ready(place.data, self.log, self._has_ended, deadline, self._progress)
        self._process = processes.find_postmaster(place.data)
        if self._process is None:
            raise PostgresError(f"The database stopped right after its start. Details are in {self.log}.")
        self._log_in(info)
        return info

    def _write_address(self, password: str) -> ConnectionInfo:
        """Choose where to listen, and write the cluster's settings."""
        place = self.settle()
        if sys.platform == "win32":
            info = _connection_info(None, launch.free_port(), password)
            address = conf.loopback_address(info.port)
        else:
            if self._socket_dir is None or not self._socket_dir.is_dir():
                self._socket_dir = launch.new_socket_dir(place.programs.account)
            for stale in self._socket_dir.iterdir():
                stale.unlink()
            info = _connection_info(self._socket_dir, None, password)
            address = conf.socket_address(self._socket_dir)
        file = place.data / "app.conf"
        file.write_text(conf.render(address, conf.shared_memory_size()), "utf-8")
        place.programs.account.own(file)
        return info

    def _log_in(self, info: ConnectionInfo) -> None:
        """Prove that the cluster lets us in, and that the vector module runs here."""
        place = self.settle()
        with launch.log_in(info, place.data) as connection:
            if not canary.has_flown(self._flight_record, place.programs.bin_dir):
                self._progress("Checking the processor.")
                canary.fly(connection)
                canary.record_flight(self._flight_record, place.programs.bin_dir)

    @property
    def _flight_record(self) -> Path:
        """Names the programs with which the canary flew on this cluster."""
        return self.home.cluster / "checked"

    def _has_ended(self) -> bool:
        if self._child is None or self._child.poll() is None:
            return False
        if sys.platform == "win32" and self._child.returncode == 0:  # pg_ctl itself ends at once
            return processes.find_postmaster(self.data) is None
        return True

    def _end(self, *, keep_socket_dir: bool) -> None:
        """Stop whatever postmaster the cluster has, and remove socket folders: all, or all but the one to use again."""
        place = self.settle()
        running = processes.find_postmaster(place.data)
        folders = {read_pid_file(place.data).socket_dir, self._socket_dir}
        if running is not None:
            processes.stop_postmaster(running, place.data, place.programs)
        self._forget_child(kill=running is None)
        self._process = None
        if keep_socket_dir:
            folders.discard(self._socket_dir)
        else:
            self._socket_dir = None
        for folder in folders:
            if folder is not None and is_own_socket_dir(folder):
                shutil.rmtree(folder, ignore_errors=True)

    def _forget_child(self, *, kill: bool) -> None:
        if self._child is not None:
            if kill:
                self._child.kill()  # it may not have become the postmaster yet; does nothing to one that has ended
            self._child.wait()
            self._child = None


def _connection_info(socket_dir: Path | None, port: int | None, password: str) -> ConnectionInfo:
    return ConnectionInfo(host=str(socket_dir) if socket_dir else "127.0.0.1", port=port or conf.SOCKET_PORT, password=password)


def _runs_program(process: psutil.Process, file: Path) -> bool:
    """Whether a process runs this very file, and not one that an update has replaced."""
    try:
        return Path(process.exe()).samefile(file)
    except (psutil.Error, OSError):
        return False
