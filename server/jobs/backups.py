"""Backups: made, tried by restoring them beside the live database, listed, thinned out, and restored."""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from server import __version__
from server.jobs.backup_file import DUMP, Manifest, pack, read_manifest, unpack
from server.jobs.registry import JobError, Jobs, Progress
from server.memory.ports import StoreError
from server.paths import Home
from server.postgres.binaries import Programs
from server.postgres.dump import dump, restore
from server.postgres.errors import PostgresError, explain
from server.store.schema import migrate

log = logging.getLogger(__name__)

SUFFIX = ".ownsona"
KEYS = ("signing-key.json",)  # of the state folder; in encrypted backups only
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
LOOK_SECONDS = 300.0  # between looks whether a backup is due


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file in the folder of the home, or elsewhere."""

    path: str
    size: int
    created_at: datetime
    encrypted: bool
    verified: bool


@dataclass(frozen=True, slots=True)
class Source:
    """The live database: its address (with the password), Postgres' programs, and a folder that their account may enter."""

    conninfo: str
    programs: Programs
    near: Path


class Backups:
    """Work on backups, one at a time. `source` gives the live database and may raise StoreError."""

    def __init__(self, home: Home, source: Callable[[], Source], pause: Callable[[], None], resume: Callable[[], None]) -> None:
        self._home = home
        self._source = source
        self._pause = pause  # ends every connection to the database
        self._resume = resume  # uses the database again
        self._one = threading.Lock()

    @property
    def folder(self) -> Path:
        """Where backups are kept that have no path of their own."""
        return self._home.data / "backups"

    def listing(self) -> list[Backup]:
        """Those in the home's folder, newest first."""
        found = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            try:
                found.append(_describe(path))
            except (JobError, OSError):
                log.warning("a file in the folder of backups is none")
        return sorted(found, key=lambda backup: backup.created_at, reverse=True)

    def make(self, progress: Progress, path: Path | None = None, passphrase: str | None = None) -> Backup:
        """Make a backup and try it. Raises JobError."""
        now = datetime.now(UTC)
        target = path or self.folder / f"{now:%Y-%m-%d-%H%M%S}-{uuid4().hex[:4]}{SUFFIX}"
        if target.exists():
            raise JobError(f"There is a file {target.name} already. Choose another name.")
        with self._work(target.parent) as (work, source):
            content = work / "content"
            content.mkdir()
            progress.at(0, 3)
            dump(source.programs, source.conninfo, content / DUMP, source.near)
            progress.at(1, 3)
            counts, schema = self._try(source, content / DUMP)
            progress.at(2, 3)
            if passphrase is not None:
                self._add_keys(content)
            manifest = Manifest(__version__, now, schema, counts, encrypted=passphrase is not None, verified=True)
            packed = work / "packed"
            pack(packed, manifest, content, passphrase)
            packed.chmod(0o600)
            packed.replace(target)
            progress.at(3, 3)
        return _describe(target)

    def restore(self, progress: Progress, path: Path, passphrase: str | None = None) -> str:
        """Exchange the live database for what a backup holds; what was there is kept as a backup first. Raises JobError."""
        read_manifest(path)
        kept = self.make(progress)
        with self._work(self.folder) as (work, source):
            content = work / "content"
            content.mkdir()
            manifest = unpack(path, content, passphrase)
            with _scratch(source) as scratch:
                restore(source.programs, scratch, content / DUMP, source.near)
                if _counts(scratch) != dict(manifest.counts):
                    raise JobError("The backup does not hold what it says: it is damaged. Nothing was changed.")
                migrate(scratch)
                with psycopg.connect(scratch) as connection:
                    # Numbers of transactions of another cluster mean nothing here; events of the past are told to nobody.
                    connection.execute("UPDATE journal SET xid = '3'")
                progress.check()
                self._exchange(source.conninfo, scratch)
            self._bring_keys(content)
        return f"Restored. What was there before is kept in {Path(kept.path).name}."

    def thin_out(self, keep: int) -> None:
        """Remove all but the newest so many in the home's folder."""
        for old in self.listing()[keep:]:
            Path(old.path).unlink(missing_ok=True)

    def due(self, hours: int) -> bool:
        """Whether the newest backup in the home's folder is older than this; 0: never."""
        newest = next(iter(self.listing()), None)
        return hours > 0 and (newest is None or newest.created_at < datetime.now(UTC) - timedelta(hours=hours))

    def _try(self, source: Source, dumped: Path) -> tuple[dict[str, int], int]:
        """Restore a dump beside the live database; the rows of each table, and the schema. Raises JobError."""
        with _scratch(source) as scratch:
            restore(source.programs, scratch, dumped, source.near)
            counts = _counts(scratch)
            with psycopg.connect(scratch) as connection:
                row = connection.execute("SELECT max(number) FROM schema_migrations").fetchone()
        if not counts.get("schema_migrations"):
            raise JobError("The backup could not be read back: it is empty. Try again; `ownsona doctor` looks at the disk.")
        return counts, int(row[0]) if row else 0

    def _add_keys(self, content: Path) -> None:
        (content / "state").mkdir()
        for name in KEYS:
            if (self._home.state / name).is_file():
                shutil.copyfile(self._home.state / name, content / "state" / name)

    def _bring_keys(self, content: Path) -> None:
        """Keys of another home come only where there are none: those in use stay in use."""
        for name in KEYS:
            brought, present = content / "state" / name, self._home.state / name
            if brought.is_file() and not present.exists():
                shutil.copyfile(brought, present)
                present.chmod(0o600)

    def _exchange(self, live: str, scratch: str) -> None:
        """Give the restored database the name of the live one, which is dropped."""
        name, restored, former = _name(live), _name(scratch), f"{_name(live)}_{uuid4().hex[:8]}"
        self._pause()
        try:
            with psycopg.connect(make_conninfo(live, dbname="postgres"), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY(%s) AND pid <> pg_backend_pid()",
                    [[name, restored]],
                )
                with connection.transaction():
                    connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(former)))
                    connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(restored), sql.Identifier(name)))
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(former)))
        finally:
            self._resume()

    @contextmanager
    def _work(self, target: Path) -> Iterator[tuple[Path, Source]]:
        """A private folder on the target's disk; only one work at a time. Faults become JobError."""
        if not self._one.acquire(blocking=False):
            raise JobError("Another backup is being made or restored. Wait for its end, then try again.")
        work: Path | None = None
        try:
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
            work = Path(tempfile.mkdtemp(prefix=".backup-", dir=target))
            yield work, self._source()
        except (PostgresError, StoreError) as error:
            raise JobError(str(error)) from None
        except psycopg.Error as error:
            log.warning("the trial of a backup failed: %s (%s)", explain(error), error.sqlstate)
            raise JobError("The database refused a second database beside the live one, which a backup is tried in.") from None
        except OSError as error:
            raise JobError(
                f"The backup cannot be written or read in {target} ({error.strerror}). Check the disk's space and rights."
            ) from None
        finally:
            self._one.release()
            if work is not None:
                shutil.rmtree(work, ignore_errors=True)


def _describe(path: Path) -> Backup:
    manifest = read_manifest(path)
    return Backup(str(path), path.stat().st_size, manifest.created_at, manifest.encrypted, manifest.verified)


def _name(conninfo: str) -> str:
    return str(conninfo_to_dict(conninfo)["dbname"])


@contextmanager
def _scratch(source: Source) -> Iterator[str]:
    """The address of an empty database beside the live one, which is dropped afterwards."""
    name = f"ownsona_scratch_{uuid4().hex[:12]}"
    with psycopg.connect(make_conninfo(source.conninfo, dbname="postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template1").format(sql.Identifier(name)))
        try:
            yield make_conninfo(source.conninfo, dbname=name)
        finally:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _counts(conninfo: str) -> dict[str, int]:
    """The number of rows of each table."""
    counts = {}
    with psycopg.connect(conninfo) as connection:
        for (table,) in connection.execute(TABLES).fetchall():
            row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
            counts[str(table)] = int(row[0]) if row else 0
    return counts


class Schedule:
    """A thread that makes a backup when one is due, and thins out the old ones."""

    def __init__(self, backups: Backups, jobs: Jobs, wanted: Callable[[], tuple[int, int]]) -> None:
        """`wanted` tells hours between backups and how many are kept; it may raise StoreError."""
        self._backups = backups
        self._jobs = jobs
        self._wanted = wanted
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backup schedule", daemon=True)

    def start(self) -> None:
        """Begin; returns at once. May be called again."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """End; a backup under way is ended by the jobs."""
        self._stopped.set()

    def once(self) -> bool:
        """Start a backup if one is due."""
        hours, keep = self._wanted()
        if not self._backups.due(hours):
            return False

        def work(progress: Progress) -> str:
            made = self._backups.make(progress)
            self._backups.thin_out(keep)
            return Path(made.path).name

        self._jobs.start("backup", work)
        return True

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            try:
                self.once()
            except StoreError as error:
                log.warning("the look for a due backup waits: %s", error)
            except Exception as error:  # noqa: BLE001 - the boundary of the thread: it must live on
                log.error("the look for a due backup failed with %s", type(error).__name__)
