"""The report on the database of a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.locks import FileLock
from server.paths import Home
from server.postgres import disk, doctor
from server.postgres.cluster import Cluster
from server.postgres.doctor import checks


def failing(home: Home) -> dict[str, str]:
    """The remedy of each check that is not all right."""
    report = checks(home)
    assert all(bool(check.remedy) is not check.ok and check.detail for check in report)
    return {check.name: check.remedy for check in report if not check.ok}


def snapshot(folder: Path) -> dict[Path, float]:
    return {path: path.stat().st_mtime for path in folder.rglob("*")}


def test_home_that_does_not_exist_is_fine_and_stays_away(empty_home: Home) -> None:
    assert failing(empty_home) == {}
    assert not empty_home.data.parent.exists()


def test_stopped_and_running_cluster_are_fine(tmp_path: Path, home: Home, cluster: Cluster) -> None:
    before = snapshot(tmp_path)
    assert failing(home) == {}
    assert snapshot(tmp_path) == before
    home.create()
    with FileLock(home.lock_file):
        cluster.start()
        # The probe of the lock needs another holder than this object's, which a second object is.
        assert failing(home) == {}
    assert "takes the database over" in failing(home)["database process"]


def test_what_can_be_wrong(home: Home, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.data.chmod(0o755)
    cluster.data.with_name("data.new-x").mkdir()
    cluster.password_file.unlink()
    (cluster.data / "PG_VERSION").write_text("17\n", "ascii")
    (cluster.data / "postmaster.pid").write_text("", "ascii")
    monkeypatch.setattr(disk, "WARN_BYTES", 1 << 62)
    monkeypatch.setattr(doctor, "missing_instructions", lambda: frozenset({"avx2"}))
    monkeypatch.setenv("OWNSONA_POSTGRES_BIN", "/nowhere")
    assert set(failing(home)) == {
        "database programs",
        "processor",
        "database folder",
        "disk space",
        "database version",
        "database password",
        "unfinished creation",
        "database process",
    }
    monkeypatch.delenv("OWNSONA_POSTGRES_BIN")
    assert "make a backup there" in failing(home)["database version"]
    (cluster.data / "PG_VERSION").unlink()
    assert "Move the folder away" in failing(home)["database version"]


def test_folder_that_cannot_be_entered_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "ascii")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "database folder" in failing(Home.at(tmp_path / "file"))
    assert checks(Home.at(loop))
