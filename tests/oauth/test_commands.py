"""`ownsona login` and `ownsona token create, list, revoke`, against the running server."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from server import cli, cli_access
from server.oauth.builtin import READ
from tests.oauth.support import new_client
from tests.web_support import Probe


def run(probe: Probe, *arguments: str) -> int:
    """The command's exit code."""
    return cli.main([*arguments, "--home", str(probe.home.state.parent)])


def test_static_tokens(probe: Probe, capsys: pytest.CaptureFixture[str]) -> None:
    """Made, shown once, listed without their text, and taken back."""
    assert run(probe, "token", "create", "Jan", "--scope", READ) == 0
    token = capsys.readouterr().out.strip()
    assert probe.call("echo", token=token).status == 200
    assert probe.call("erase", token=token).status == 403
    assert run(probe, "token", "list") == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "Jan  /mcp  memories:read  last used 2" in line]
    assert token not in line
    assert run(probe, "token", "revoke", line.split()[0]) == 0
    assert probe.call("echo", token=token).status == 401
    assert run(probe, "token", "revoke", line.split()[0]) == 1
    assert "ownsona token list" in capsys.readouterr().err


def test_login(probe: Probe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for twice; the password appears nowhere."""
    monkeypatch.setattr("sys.stdin", io.StringIO("a fine password\na fine password\n"))
    assert run(probe, "login", "--username", "eve") == 0
    assert "fine" not in capsys.readouterr().out
    assert new_client(probe).begin().send(username="eve", password="a fine password").status == 303
    monkeypatch.setattr("sys.stdin", io.StringIO("one password\nanother\n"))
    assert run(probe, "login") == 1
    assert "differ" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("short\nshort\n"))
    assert run(probe, "login") == 1
    assert "at least 8" in capsys.readouterr().err


def test_login_without_echo(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal."""
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "typed by a person"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", answer)
    assert "owner" in cli_access.set_login(probe.home, "owner")
    assert len(asked) == 2


def test_nobody_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They say how to start the server."""
    for command in (("login",), ("token", "list"), ("token", "create", "x"), ("token", "revoke", "x")):
        assert cli.main([*command, "--home", str(tmp_path)]) == 1
        assert "ownsona serve" in capsys.readouterr().err


def test_one_hour_token_as_before(probe: Probe, capsys: pytest.CaptureFixture[str]) -> None:
    """Without an action, `ownsona token` prints one."""
    assert run(probe, "token", "--toolset", "memories") == 0
    assert probe.call("echo", token=capsys.readouterr().out.strip()).status == 200
