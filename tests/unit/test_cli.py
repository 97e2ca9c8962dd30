"""The command line without a server."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import server
from server import bridge, cli
from server.doctor import examine
from server.joining import Running, announce
from server.oauth.keys import PublicKeys, SigningKey
from server.oauth.tokens import TokenVerifier
from server.paths import Home


def test_version() -> None:
    """The package and the program say the same."""
    assert server.__version__ == importlib.metadata.version("ownsona-desktop")


@pytest.mark.parametrize("command", [[], ["serve"], ["status"], ["stop"], ["token"], ["doctor"], ["mcp"], ["export"], ["import"]])
def test_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every command explains itself, and takes a home."""
    with pytest.raises(SystemExit) as ended:
        cli.main([*command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "--home" in text
    assert "--leased" not in text


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["token", "--toolset", "x"], ["token", "--scope", "x"], ["serve", "--x"], ["export"], ["import"]]
)
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_token_before_the_first_start(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is good at the server that will run with these settings."""
    monkeypatch.setenv("OWNSONA_PORT", "7777")
    assert cli.main(["--home", str(tmp_path), "token", "--scope", "memories:read"]) == 0
    [token] = capsys.readouterr().out.splitlines()
    home = Home.at(tmp_path)
    verifier = TokenVerifier(PublicKeys(home, SigningKey.of(home)), "http://127.0.0.1:7777")
    assert verifier.verify(token, {"http://127.0.0.1:7777/mcp"}).scopes == {"memories:read"}


def test_token_for_the_running_server(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Port and issuer are the running server's, whatever the settings here say."""
    monkeypatch.setenv("OWNSONA_PORT", "7777")
    home = Home.at(tmp_path)
    home.create()
    announce(home, Running(8888, 1, "s", 0.0, "https://memory.example.org"))
    assert cli.main(["token", "--home", str(tmp_path)]) == 0
    [token] = capsys.readouterr().out.splitlines()
    verifier = TokenVerifier(PublicKeys(home, SigningKey.of(home)), "https://memory.example.org")
    assert len(verifier.verify(token, {"http://127.0.0.1:8888/mcp"}).scopes) == 3


@pytest.mark.parametrize("text", [None, "", "{}"])
def test_bridge_without_descriptions(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken installation is named as such, on stderr alone."""
    if text is not None:
        (tmp_path / "schemas.json").write_text(text)
    monkeypatch.setattr(bridge.run, "__defaults__", (tmp_path / "schemas.json", None))
    assert cli.main(["mcp", "--home", str(tmp_path / "home")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Install OwnSona again" in said.err


def test_doctor_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It reports and leaves no trace."""
    monkeypatch.setenv("OWNSONA_PORT", "0")
    code = cli.main(["doctor", "--home", str(tmp_path / "home")])
    lines = capsys.readouterr().out.splitlines()
    assert code == (1 if any(line.startswith("BAD") for line in lines) else 0)
    assert any("server: not running" in line for line in lines)
    assert not (tmp_path / "home").exists()


def test_doctor_and_bad_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, database and model that cannot be used are named, without their values."""
    for name, value, text in (
        ("OWNSONA_MAX_BATCH_SIZE", "hidden", "BAD  settings: OWNSONA_MAX_BATCH_SIZE"),
        ("OWNSONA_DATABASE_URL", "postgresql://me:hidden@127.0.0.1:1/x", "BAD  database: "),
        ("OWNSONA_EMBEDDING_MODEL", "no-such-model", "BAD  model: "),
    ):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert cli.main(["doctor", "--home", str(tmp_path / "home")]) == 1
            output = capsys.readouterr().out
            assert text in output
            assert "hidden" not in output


def test_doctor_and_a_folder_in_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is bad is marked, with the remedy, and the exit code says so."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setenv("OWNSONA_PORT", str(other.getsockname()[1]))
        assert cli.main(["doctor", "--home", str(tmp_path / "home")]) == 1
        assert "is taken by another program" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["serve"], ["token"], ["export", "-"]])
def test_home_that_cannot_be_used(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, with the remedy."""
    (tmp_path / "file").write_text("")
    assert cli.main([*command, "--home", str(tmp_path / "file" / "home")]) in {1, 2}
    error = capsys.readouterr().err
    assert error.startswith(f"{tmp_path / 'file' / 'home'}")
    assert "OWNSONA_HOME" in error
    assert error.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may enter every folder, and Windows has no modes")
def test_doctor_and_a_folder_that_must_not_be_entered(tmp_path: Path) -> None:
    """A finding, not a fault."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    try:
        findings = examine(Home.at(closed / "home"), 0)
    finally:
        closed.chmod(0o700)
    assert [finding.good for finding in findings[:4]] == [False] * 4
    assert f"{closed} cannot be written to" in findings[0].text


@pytest.mark.skipif(sys.platform == "win32", reason="every account has a home folder there")
def test_account_without_a_home_folder(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As in containers: nothing is made in whatever folder is the current one."""

    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    for name in ("HOME", "OWNSONA_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cli.main(["status"]) == 2
    assert "OWNSONA_HOME" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("command", "code"), [("status", 1), ("stop", 0), ("token", 0)])
def test_without_standard_streams(tmp_path: Path, closed: str, command: str, code: int) -> None:
    """A program that starts us without stdin, stdout or stderr gets the same exit code and no complaint."""
    line = f'exec "$0" -m server.cli --home "$1" {command} {closed}'
    done = subprocess.run(["sh", "-c", line, sys.executable, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == code
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["status", "token"])
def test_output_that_cannot_be_written(tmp_path: Path, command: str) -> None:
    """One plain line on stderr."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "server.cli", "--home", str(tmp_path), command], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"The output cannot be written: No space left on device.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove a folder that is in use")
def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A relative home cannot be found from there."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert cli.main(["--home", "relative", "status"]) == 2
    assert capsys.readouterr().err.startswith("The home folder cannot be found: No such file or directory.")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every path is Unicode")
@pytest.mark.parametrize("command", ["serve", "status", "token", "mcp"])
def test_a_path_that_is_no_text(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused by every command, before anything is made there."""
    assert cli.main(["--home", f"{tmp_path}/home\udcff", command]) == 2
    assert capsys.readouterr().err.startswith("The path of the home folder is not valid UTF-8.")
    assert list(tmp_path.iterdir()) == []
