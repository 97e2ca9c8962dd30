"""How the command line finds and starts the app."""

from __future__ import annotations

import pytest

from server import cli, desktop


@pytest.mark.parametrize(
    ("environ", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({}, "win32", True),
        ({}, "darwin", True),
    ],
)
def test_screens(environ: dict[str, str], platform: str, there: bool) -> None:
    """Where windows can be shown."""
    assert desktop.has_screen(environ, platform) is there


def test_commands() -> None:
    """The module in a checkout, an executable of its own in a frozen program."""
    assert desktop.command("linux", "/usr/bin/python3", frozen=False) == ["/usr/bin/python3", "-P", "-m", "app.main"]
    assert desktop.command("linux", "/opt/ownsona/ownsona", frozen=True) == ["/opt/ownsona/ownsona-app"]
    assert desktop.command("win32", "ownsona.exe", frozen=True) == ["ownsona-app.exe"]


def test_without_a_screen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and one line that names the other way."""
    for name in desktop.SCREENS:
        monkeypatch.delenv(name, raising=False)
    assert cli.main([]) == cli.ENVIRONMENT
    complaint = capsys.readouterr().err
    assert "ownsona serve" in complaint
    assert complaint.count("\n") == 1
