"""Where the owner's token is kept: the file, the choice, and a keychain that is not there."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from server import cli
from server.paths import Home
from server.secrets_store import BACKENDS, SecretsError, chosen, move, owner_token
from tests.web_support import PATIENCE, serving


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty one."""
    return Home.at(tmp_path / "home")


@pytest.fixture
def no_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session without a bus, so without a keychain."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")


def choose(home: Home, text: str) -> None:
    """As if the person had chosen this."""
    home.create()
    (home.config / "secrets.json").write_text(text)


def test_file_is_the_default(home: Home) -> None:
    """Only its owner may read it; every look gives the same token."""
    token = owner_token(home)
    assert chosen(home) == "file"
    assert owner_token(home) == token
    assert len(token) >= 43
    if sys.platform != "win32":
        assert stat.S_IMODE((home.state / "owner-token").stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="the keychain of another system is there")
@pytest.mark.usefixtures("no_bus")
def test_no_keychain(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """It says so, changes nothing, and never takes another place by itself."""
    token = owner_token(home)
    with pytest.raises(SecretsError, match="ownsona secrets file"):
        move(home, "keychain")
    assert (chosen(home), owner_token(home)) == ("file", token)
    assert cli.main(["secrets", "keychain", "--home", str(home.state.parent)]) == 1
    assert "not reachable" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"backend": "os.system"}', json.dumps({"backend": "keyring.backends.null.Keyring"})])
def test_a_choice_that_is_none(home: Home, text: str) -> None:
    """Only the systems' own keychains; a damaged file is told."""
    choose(home, text)
    with pytest.raises(SecretsError, match="ownsona secrets"):
        owner_token(home)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
@pytest.mark.skipif(sys.platform != "linux", reason="these are not the backends of Linux")
def test_backends_of_other_systems(home: Home, platform: str) -> None:
    """Each system has one; here they cannot be used."""
    with pytest.raises(SecretsError, match=BACKENDS[platform]):
        move(home, "keychain", platform)


@pytest.mark.skipif(sys.platform != "linux", reason="the keychain of another system is there")
@pytest.mark.usefixtures("no_bus")
def test_back_to_the_file(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """A token in a keychain that is gone is replaced by a new one."""
    choose(home, json.dumps({"backend": BACKENDS["linux"]}))
    with pytest.raises(SecretsError):
        owner_token(home)
    assert cli.main(["secrets", "file", "--home", str(home.state.parent)]) == 0
    assert str(home.state / "owner-token") in capsys.readouterr().out
    assert len(owner_token(home)) >= 43


@pytest.mark.skipif(sys.platform != "linux", reason="the keychain of another system is there")
@pytest.mark.usefixtures("no_bus")
def test_a_server_starts_without_the_keychain(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It says so in its log, and uses the file."""
    home = Home.at(tmp_path / "home")
    choose(home, json.dumps({"backend": BACKENDS["linux"]}))
    with serving(tmp_path / "home") as probe:
        assert probe.ready.wait(PATIENCE)
        assert probe.owner("GET", "/status").status == 200
    assert "not reachable" in caplog.text
    assert owner_token(home) not in caplog.text
