"""The command line's side of the connection, with a server in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.joining import LocalApiError
from server.parts import StartError
from server.paths import Home
from server.settings import Settings
from server.transfer.client import Server
from tests.probe_server import ProbeParts
from tests.web_support import PATIENCE, serving


def test_an_export_that_breaks_off_is_no_export(tmp_path: Path) -> None:
    """The end of the stream is told from its breaking."""
    with serving(tmp_path / "home") as probe:
        assert probe.ready.wait(PATIENCE)
        server = Server(probe.home)
        assert b"".join(server.export("ownsona")) == b"first second"
        probe.parts.transfer.fails_at = 1
        with pytest.raises(LocalApiError, match="not whole"):
            list(server.export("ownsona"))
        probe.parts.transfer.fails_at = 0
        with pytest.raises(LocalApiError, match="went away"):
            list(server.export("ownsona"))
        with pytest.raises(LocalApiError, match="no such export format"):
            list(server.export("papyrus"))


def test_a_step_as_it_is_sent(tmp_path: Path) -> None:
    """Records go as they are."""
    with serving(tmp_path / "home") as probe:
        assert probe.ready.wait(PATIENCE)
        answer = Server(probe.home).take([b'{"text":"a"}', b'"b"'], {1: 101}, [(2, 3)], dry_run=True)
        assert answer["taken"] == {"records": [{"text": "a"}, "b"], "known": [[1, 101]], "links": [[2, 3]], "dry_run": True}
        with pytest.raises(LocalApiError, match="must be JSON"):
            Server(probe.home).take([b"{"], {}, [], dry_run=False)


def test_waiting_for_a_stage(tmp_path: Path) -> None:
    """It returns when the stage is ready, and says what it waits for."""
    home = Home.at(tmp_path / "home")
    parts = ProbeParts(home, Settings.read({}))
    parts.model_gate.clear()
    heard: list[str] = []

    def hear(stage: str) -> None:
        heard.append(stage)
        if stage == "model":  # the database may be late too
            parts.model_gate.set()

    with serving(tmp_path / "home", parts=parts) as probe:
        Server(probe.home).wait_for("database", "model", waiting=hear)
        assert "model" in heard


def test_a_stage_that_failed(tmp_path: Path) -> None:
    """Its own advice is passed on."""
    home = Home.at(tmp_path / "home")
    parts = ProbeParts(home, Settings.read({}))
    parts.failing["model"] = StartError("The model is missing. Install it again.")
    with serving(tmp_path / "home", parts=parts) as probe:
        server = Server(probe.home)
        server.wait_for("database")
        with pytest.raises(LocalApiError, match="Install it again"):
            server.wait_for("database", "model")


def test_no_server_to_be_had(tmp_path: Path) -> None:
    """Neither one that runs nor one that starts."""
    with pytest.raises(LocalApiError, match="cannot be started"):
        Server(Home.at(tmp_path / "home"), [str(tmp_path / "no such program")]).wait_for("database")
