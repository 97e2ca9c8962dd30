"""`ownsona doctor` beside a running server."""

from __future__ import annotations

from pathlib import Path

from server.doctor import examine
from server.parts import StartError
from server.paths import Home
from server.settings import Settings
from tests.probe_server import ProbeParts
from tests.programs import eventually
from tests.web_support import PATIENCE, Probe, serving


def test_all_is_well(probe: Probe) -> None:
    """One line, with the address."""
    assert probe.ready.wait(PATIENCE)
    assert [finding.good for finding in examine(probe.home, probe.port) if finding.text.startswith("server: ")] == [True]


def test_failed_stage(tmp_path: Path) -> None:
    """It is bad, and its advice is shown."""
    parts = ProbeParts(Home.at(tmp_path), Settings.read({}))
    parts.failing["database"] = StartError("Free some space.")
    with serving(tmp_path, parts=parts) as running:
        eventually(lambda: running.runtime.describe().status == "degraded")
        bad = [finding.text for finding in examine(running.home, running.port) if not finding.good]
    assert "server: its database has failed. Free some space." in bad
