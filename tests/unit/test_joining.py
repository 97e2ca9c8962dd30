"""`runtime.json` and the proof."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from server import joining, secrets_store
from server.joining import Running
from server.paths import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with its folders."""
    home = Home.at(tmp_path)
    home.create()
    return home


def test_announce_and_withdraw(home: Home) -> None:
    """A server takes back only what it said itself."""
    first, second = Running(1, 2, "a", 3.0, "i"), Running(1, 2, "b", 3.0, "i")
    assert joining.announced(home) is None
    joining.announce(home, first)
    joining.announce(home, second)
    assert joining.announced(home) == second
    joining.withdraw(home, first)
    assert joining.announced(home) == second
    joining.withdraw(home, second)
    assert joining.announced(home) is None
    assert list(home.state.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"port": "x", "pid": 1, "secret": "s", "started": 0, "issuer": "i"}'])
def test_damaged_file(home: Home, text: str) -> None:
    """It counts as none."""
    home.runtime_file.write_text(text)
    assert joining.announced(home) is None
    assert joining.find(home) is None


def test_owner_token(home: Home) -> None:
    """Made once, private."""
    token = secrets_store.owner_token(home)
    assert secrets_store.owner_token(home) == token
    assert len(token) >= 43
    if sys.platform != "win32":
        assert (home.state / "owner-token").stat().st_mode & 0o777 == 0o600


def test_proof_binds_the_port() -> None:
    """A proof for another port, or with another secret, is another one."""
    proofs = {joining.proof(secret, nonce, port) for secret in ("a", "b") for nonce in ("c", "d") for port in (1, 2)}
    assert len(proofs) == 8


def test_nobody_there(home: Home) -> None:
    """A server that is gone answers nothing, and the message says so."""
    gone = Running(1, 1, "s", 0.0, "i")
    assert not joining.proves(gone, 0.5)
    with pytest.raises(joining.LocalApiError, match="does not answer"):
        joining.ask(home, gone, "GET", "/status")
    with pytest.raises(OSError, match=r".*"), joining.lease(home, gone):
        pass
