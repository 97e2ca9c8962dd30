"""The folders of one installation, and files that only their owner may read. Standard library and platformdirs only."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs


@dataclass(frozen=True, slots=True)
class Home:
    """Where one OwnSona keeps its things. `OWNSONA_HOME` puts all of them below one folder."""

    data: Path  # the database cluster; worth a backup
    config: Path  # settings
    state: Path  # keys, runtime.json, lock
    logs: Path

    @classmethod
    def at(cls, folder: Path) -> Home:
        """Everything below one folder."""
        folder = folder.expanduser().absolute()
        return cls(folder / "data", folder / "config", folder / "state", folder / "logs")

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Home:
        """The home that `OWNSONA_HOME` names, else the system's usual folders for the current user."""
        if environ.get("OWNSONA_HOME"):
            return cls.at(Path(environ["OWNSONA_HOME"]))
        dirs = PlatformDirs("ownsona", appauthor=False, roaming=False)
        return cls(
            Path(dirs.user_data_dir) / "data",
            Path(dirs.user_config_dir) / "config",
            Path(dirs.user_state_dir) / "state",
            Path(dirs.user_log_dir),
        )

    @property
    def cluster(self) -> Path:
        """The Postgres data folder's parent: the cluster itself and its log."""
        return self.data / "postgres"

    @property
    def runtime_file(self) -> Path:
        """Port, pid and challenge secret of the running server (0600)."""
        return self.state / "runtime.json"

    @property
    def lock_file(self) -> Path:
        """Held by the one server of this home for as long as it lives."""
        return self.state / "server.lock"

    def create(self) -> None:
        """Make the folders, readable by their owner only. Raises OSError, whose text names the folder."""
        for folder in (self.data, self.config, self.state, self.logs):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def unusable(self, error: OSError) -> str:
        """For the person: what the system does not let us use, and what to do about it."""
        place, reason = error.filename or self.state, error.strerror or error
        return f"{place} cannot be used: {reason}. Give this user the right to read and write there, or set OWNSONA_HOME to another folder."


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step with one that only its owner may read (0600)."""
    with _private_beside(path, text) as made:
        made.replace(path)


def create_private(path: Path, text: str) -> bool:
    """Write a file that only its owner may read, in one step, unless there is one already. True where it was written."""
    with _private_beside(path, text) as made:
        try:
            # Both fail if the target exists, so of two creators at once one wins and nobody sees half a file.
            if sys.platform == "win32":
                made.rename(path)
            else:
                path.hardlink_to(made)
        except FileExistsError:
            return False
    return True


@contextmanager
def _private_beside(path: Path, text: str) -> Iterator[Path]:
    """A whole file in the same folder, to be given its name in the block; what is left of it afterwards is removed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it 0600
    made = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield made
    finally:
        made.unlink(missing_ok=True)


def resource(*parts: str) -> Path:
    """A file of the `resources` folder, in a checkout, an installed wheel or a frozen program."""
    base = Path(getattr(sys, "_MEIPASS", Path(__file__).resolve().parent.parent))
    return base.joinpath("resources", *parts)
