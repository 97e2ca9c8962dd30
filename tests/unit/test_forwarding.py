"""How the bridge starts a server, and what it puts into headers, on every system."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from server.forwarding import detached_options, header_text, home_option, serve_command
from server.paths import Home


def test_serve_command() -> None:
    """A checkout runs the module, without the current folder in its path; a frozen program runs itself."""
    assert serve_command(frozen=False, executable="python") == ["python", "-P", "-m", "server.cli", "serve", "--leased"]
    assert serve_command(frozen=True, executable="ownsona") == ["ownsona", "serve", "--leased"]


@pytest.mark.parametrize(
    ("platform", "options"),
    [("linux", {"start_new_session": True}), ("darwin", {"start_new_session": True}), ("win32", {"creationflags": 0x208})],
)
def test_detached(platform: str, options: dict[str, object]) -> None:
    """The server outlives the bridge and its terminal."""
    assert detached_options(platform) == options


def test_home_option(tmp_path: Path) -> None:
    """A home that is one folder is handed on by name; the system's usual folders are found again."""
    assert home_option(Home.at(tmp_path)) == ["--home", str(tmp_path)]
    assert home_option(Home(tmp_path / "a" / "data", tmp_path / "b" / "config", tmp_path / "c" / "state", tmp_path / "d")) == []


@pytest.mark.parametrize("value", ["remember", "two words", ""])
def test_plain_header(value: str) -> None:
    """Printable ASCII goes as it is."""
    assert header_text(value) == value


@pytest.mark.parametrize("value", ["é", " x", "x ", "a\r\nb", "=?base64?eA==?=", "\x7f"])
def test_wrapped_header(value: str) -> None:
    """Everything else is wrapped, so that no line break gets into a header."""
    wrapped = header_text(value)
    assert base64.b64decode(wrapped.removeprefix("=?base64?").removesuffix("?=")).decode() == value
