"""`ownsona export` and `ownsona import` with the real server, database and model."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server import joining
from server.paths import Home
from tests.programs import PATIENCE, ROOT, environment, eventually, program


def run(home: Home, *arguments: str, stdin: bytes = b"", code: int = 0) -> tuple[str, str]:
    """Run a command to its end: what it said on stdout and on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "server.cli", *arguments, "--home", str(home.state.parent)],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env=environment(),
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def entries(home: Home) -> list[Any]:
    """The journal, newest first."""
    running = joining.announced(home)
    assert running is not None
    listed: list[Any] = joining.ask(home, running, "GET", "/journal?limit=500")["entries"]
    return listed


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Home]]:
    """Two homes, each with a server for as long as the tests run."""
    both = [Home.at(tmp_path_factory.mktemp("transfer") / name) for name in ("one", "two")]
    command = ("-m", "server.cli", "serve", "--home")
    with program(*command, str(both[0].state.parent)) as one, program(*command, str(both[1].state.parent)) as two:
        for server in (one, two):
            assert server.line().startswith(b"OwnSona ready")
        yield both[0], both[1]
        for server in (one, two):
            server.process.terminate()
            assert server.end() == 0


def test_from_home_to_home(homes: tuple[Home, Home], tmp_path: Path) -> None:
    """A list in, an export out, into a new home and out again: the same file; twice adds nothing."""
    one, two = homes
    notes = tmp_path / "notes.txt"
    notes.write_bytes("\ufeff# mine\r\n\r\nThe person plays the viola.\r\nThe cat is called Miez.\r\nKey AKIAABCDEFGHIJKLMNOP\r\n".encode())
    (said, complained) = run(one, "import", str(notes), "--dry-run")
    assert "2 would be added, 0 already there, 1 skipped." in said
    assert "line 5: The text looks like it holds an AWS access key" in complained
    assert "AKIA" not in complained
    assert entries(one) == []
    said, _ = run(one, "import", str(notes))
    assert "2 added" in said
    old = {
        "id": 77,
        "text": "The cat is called Mia.",
        "deleted_at": "2026-01-02T03:04:05.678901Z",
        "forget_reason": "x",
        "replaced_by_id": 78,
    }
    new = {"id": 78, "text": "The dog is called Rex.", "keep": "Y", "salience": 2.5, "tags": ["Pets"], "created_at": "2025-01-01T00:00:00Z"}
    run(one, "import", "-", stdin=json.dumps([old, new]).encode())

    first, second = tmp_path / "first.json", tmp_path / "second.json"
    run(one, "export", str(first))
    exported = json.loads(first.read_bytes())
    assert exported["count"] == len(exported["memories"]) == 4
    assert {memory["id"]: memory["replaced_by_id"] for memory in exported["memories"]} == {1: None, 2: None, 77: 78, 78: None}
    if sys.platform != "win32":
        assert stat.S_IMODE(first.stat().st_mode) == 0o600
    said, complained = run(two, "import", str(first))
    assert "4 added, 0 already there, 0 skipped." in said
    assert complained == ""
    run(two, "export", str(second))
    assert second.read_bytes() == first.read_bytes()
    said, _ = run(two, "import", str(first), str(notes))
    assert "first.json: 0 added, 4 already there" in said
    assert "notes.txt: 0 added, 2 already there" in said
    assert [entry["tool"] for entry in entries(two)] == ["import"]

    _, complained = run(two, "export", str(second), code=2)
    assert "--force" in complained
    run(two, "export", str(second), "--force")
    said, _ = run(two, "export", "-")
    assert said.encode() == first.read_bytes() == second.read_bytes()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_undo_over_the_local_api(homes: tuple[Home, Home]) -> None:
    """An import is taken back like everything else."""
    home = homes[1]
    run(home, "import", "-", stdin=b"The person once sailed to Crete.\n")
    running = joining.announced(home)
    assert running is not None
    [changed] = joining.ask(home, running, "POST", f"/journal/{entries(home)[0]['id']}/undo")["ids"]
    exported = json.loads(run(home, "export", "-")[0])["memories"]
    assert next(memory for memory in exported if memory["id"] == changed)["forget_reason"] == "Undone"


def test_a_broken_file(homes: tuple[Home, Home], tmp_path: Path) -> None:
    """What comes before the damage is imported, and the exit code tells."""
    broken = tmp_path / "broken.json"
    broken.write_text('{"memories": [{"text": "The person likes rain."}, {"text": 5}, {"text": "cut o')
    said, complained = run(homes[1], "import", str(broken), code=1)
    assert "1 added, 0 already there, 1 skipped." in said
    assert "record 2: text must be a string." in complained
    assert "cut off" in complained


def test_death_of_the_command(homes: tuple[Home, Home], tmp_path: Path) -> None:
    """After kill -9 whole steps are there, and the next import adds the rest."""
    home = homes[1]
    many = tmp_path / "many.json"
    gone = "2026-01-01T00:00:00Z"
    records = [
        {"id": 5000 + n, "text": f"Fact number {n}.", **({"deleted_at": gone, "replaced_by_id": 5599} if n % 100 == 0 else {})}
        for n in range(600)
    ]
    many.write_text(json.dumps(records))
    before = len(entries(home))
    with program("-m", "server.cli", "import", str(many), "--home", str(home.state.parent)) as importing:
        eventually(lambda: len(entries(home)) > before)
        importing.process.kill()
        importing.end()
    said, _ = run(home, "import", str(many))
    assert "0 skipped" in said
    exported = [memory for memory in json.loads(run(home, "export", "-")[0])["memories"] if memory["id"] >= 5000]
    assert sorted(memory["id"] for memory in exported) == [5000 + n for n in range(600)]
    assert {memory["replaced_by_id"] for memory in exported if memory["deleted_at"]} == {5599}
    said, _ = run(home, "import", str(many))
    assert "0 added, 600 already there, 0 skipped." in said


def test_without_a_running_server(homes: tuple[Home, Home], tmp_path: Path) -> None:
    """One is started, and ends when nobody needs it."""
    home = Home.at(tmp_path / "home")
    assert "1 added" in run(home, "import", "-", stdin=b"The person likes snow.\n")[0]
    running = joining.announced(home)
    assert running is not None
    eventually(lambda: not home.runtime_file.exists())
    assert "likes snow" in run(home, "export", "-")[0]
    eventually(lambda: not home.runtime_file.exists())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_nobody_reads_the_export(homes: tuple[Home, Home]) -> None:
    """`ownsona export - | head -1` ends quietly."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "server.cli", "export", "-", "--home", str(homes[0].state.parent)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, env=environment(), timeout=PATIENCE, check=False)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b""
