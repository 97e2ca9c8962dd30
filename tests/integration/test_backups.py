"""Backups of the real database: made, tried, opened with the passphrase, restored, thinned out."""

from __future__ import annotations

import json
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from server.jobs.backups import Backups, Schedule, Source
from server.jobs.registry import JobError, Jobs, Progress
from server.paths import Home

PASSPHRASE = "correct horse battery"


class Served:
    """Backups of a database in a home, and how often the server had to let go of it."""

    def __init__(self, home: Home, source: Source) -> None:
        self.left: list[str] = []
        self.home = home
        self.source = source
        self.backups = Backups(home, lambda: source, lambda: self.left.append("left"), lambda: self.left.append("back"))

    def run(self, statement: str) -> list[tuple[object, ...]]:
        """One statement on the live database."""
        with psycopg.connect(self.source.conninfo) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def progress() -> Progress:
    return Progress(lambda _done, _total: None)


@pytest.fixture
def served(tmp_path: Path, source: Source) -> Served:
    """A home with a key, and a database with one memory."""
    home = Home.at(tmp_path / "home")
    home.create()
    (home.state / "signing-key.json").write_text("the key")
    made = Served(home, source)
    made.run("INSERT INTO memories (owner_id, text, text_key) VALUES (1, 'Anna drinks tea', 'x')")
    made.run("INSERT INTO settings (owner_id, name, value) VALUES (1, 'backups_kept', '3')")
    return made


def test_round_trip(served: Served) -> None:
    made = served.backups.make(progress())
    assert (made.verified, made.encrypted) == (True, False)
    assert Path(made.path).stat().st_mode & 0o777 == 0o600
    with tarfile.open(made.path) as archive:
        assert sorted(archive.getnames()) == ["database.dump", "manifest.json"]
    served.run("UPDATE memories SET text = 'Anna drinks coffee'; DELETE FROM settings")
    told = served.backups.restore(progress(), Path(made.path))
    assert served.run("SELECT text FROM memories") == [("Anna drinks tea",)]
    assert served.run("SELECT value FROM settings") == [(3,)]
    assert served.left == ["left", "back"]
    # What was there before is kept, and can come back.
    newest = served.backups.listing()[0]
    assert Path(newest.path).name in told
    served.backups.restore(progress(), Path(newest.path))
    assert served.run("SELECT text FROM memories") == [("Anna drinks coffee",)]
    assert served.run("SELECT count(*) FROM pg_database WHERE datname LIKE 'ownsona_scratch%'") == [(0,)]


def test_with_a_passphrase(served: Served, tmp_path: Path) -> None:
    target = tmp_path / "mine.ownsona"
    made = served.backups.make(progress(), target, PASSPHRASE)
    assert made.encrypted
    content = target.read_bytes()
    assert b"Anna" not in content
    assert b"the key" not in content
    served.run("DELETE FROM memories")
    for wrong, told in ((None, "encrypted"), ("guess", "does not open")):
        with pytest.raises(JobError, match=told):
            served.backups.restore(progress(), target, wrong)
    (served.home.state / "signing-key.json").unlink()
    served.backups.restore(progress(), target, PASSPHRASE)
    assert served.run("SELECT text FROM memories") == [("Anna drinks tea",)]
    assert (served.home.state / "signing-key.json").read_text() == "the key"


def test_what_is_no_backup(served: Served, tmp_path: Path) -> None:
    made = Path(served.backups.make(progress()).path)
    strange = tmp_path / "strange.ownsona"
    for content in (b"", b"no archive at all", made.read_bytes()[:1500]):
        strange.write_bytes(content)
        with pytest.raises(JobError):
            served.backups.restore(progress(), strange)
    with pytest.raises(JobError, match="cannot be read"):
        served.backups.restore(progress(), tmp_path / "missing")
    with pytest.raises(JobError, match="already"):
        served.backups.make(progress(), strange)
    assert served.left == []
    assert served.run("SELECT count(*) FROM memories") == [(1,)]


def test_counts_must_agree(served: Served, tmp_path: Path) -> None:
    made = Path(served.backups.make(progress()).path)
    changed = tmp_path / "changed.ownsona"
    folder = tmp_path / "out"
    with tarfile.open(made) as archive:
        archive.extractall(folder, filter="data")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["counts"]["memories"] = 7
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with tarfile.open(changed, "x") as archive:
        archive.add(folder / "manifest.json", "manifest.json")
        archive.add(folder / "database.dump", "database.dump")
    with pytest.raises(JobError, match="Nothing was changed"):
        served.backups.restore(progress(), changed)
    assert served.left == []


def test_schedule_and_retention(served: Served) -> None:
    jobs = Jobs()
    wanted = (24, 2)
    schedule = Schedule(served.backups, jobs, lambda: wanted)
    assert schedule.once()
    ended = jobs.wait(1, 120)
    assert ended is not None
    assert (ended.state, ended.kind) == ("done", "backup")
    assert not schedule.once()
    assert not served.backups.due(0)
    for _ in range(2):
        served.backups.make(progress())
    served.backups.thin_out(2)
    kept = served.backups.listing()
    assert len(kept) == 2
    assert all(backup.created_at > datetime.now(UTC) - timedelta(minutes=5) for backup in kept)
    jobs.stop()
