"""`ownsona backup` and `ownsona restore` against the real server, which goes on with the restored memories."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from server import joining
from server.paths import Home
from tests.programs import environment, eventually, program


def ownsona(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One command of the command line."""
    command = [sys.executable, "-m", "server.cli", *arguments, "--home", str(home.state.parent)]
    return subprocess.run(command, env=environment(), input="open sesame\n", capture_output=True, text=True, timeout=200, check=False)


def test_backup_and_restore(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    target = tmp_path / "mine.ownsona"
    assert ownsona(home, "backup", str(target)).returncode == 1
    with program("-m", "server.cli", "serve", "--home", str(tmp_path / "home"), "--port", "0", env=environment()) as server:
        assert server.line().startswith(b"OwnSona ready at ")
        running = joining.announced(home)
        assert running is not None
        added = joining.ask(home, running, "POST", "/memories", body={"text": "The cat is called Miez."})
        done = ownsona(home, "backup", str(target), "--encrypt")
        assert (done.returncode, done.stdout.strip()) == (0, str(target)), done.stderr
        joining.ask(home, running, "POST", "/memories/erase", body={"scope": {"query": ""}})
        refused = ownsona(home, "restore", str(target))
        assert (refused.returncode, "encrypted" in refused.stderr) == (1, True)
        restored = ownsona(home, "restore", str(target), "--encrypted")
        assert restored.returncode == 0, restored.stderr
        eventually(lambda: joining.ask(home, running, "GET", "/status")["status"] == "ready")
        assert joining.ask(home, running, "GET", "/memories?q=miez")["ids"] == added["ids"]
        found = joining.ask(home, running, "POST", "/explain", body={"query": "name of the cat"})
        assert found["matches"][0]["row"]["id"] == added["ids"][0]
        joining.ask(home, running, "POST", "/memories", body={"text": "The dog is called Bello."})
