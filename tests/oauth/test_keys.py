"""Signing keys and the set of public keys."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from pathlib import Path

import pytest
from joserfc.jwk import ECKey, RSAKey

from server.oauth.keys import KeyFileError, PublicKeys, SigningKey
from server.paths import Home, create_private


def kid_of(folder: Path) -> str:
    """The id of a home's key, from a process of its own."""
    return SigningKey.of(Home.at(folder)).kid


def test_made_once(tmp_path: Path) -> None:
    """A home keeps its key; nobody else may read it."""
    home = Home.at(tmp_path / "home")
    first = SigningKey.of(home)
    assert SigningKey.of(home).kid == first.kid
    if sys.platform != "win32":
        assert (home.state / "signing-key.json").stat().st_mode & 0o777 == 0o600
        assert home.state.stat().st_mode & 0o777 == 0o700


def test_two_creators_agree(tmp_path: Path) -> None:
    """Of several processes that make the key at once, all get the same one."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(kid_of, [tmp_path / "home"] * 8))) == 1
    assert [file.name for file in (tmp_path / "home" / "state").iterdir()] == ["signing-key.json"]


def test_create_private_keeps_what_is_there(tmp_path: Path) -> None:
    """The second writer is told, and leaves nothing behind."""
    assert create_private(tmp_path / "file", "first")
    assert not create_private(tmp_path / "file", "second")
    assert (tmp_path / "file").read_text() == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"kty": "EC"}',
        json.dumps(SigningKey.generate().public()),
        json.dumps(ECKey.generate_key("P-384").as_dict(private=True)),
        json.dumps(RSAKey.generate_key(2048).as_dict(private=True)),
    ],
)
def test_damaged_file(tmp_path: Path, text: str) -> None:
    """A file that holds no such key is named with the remedy, and not quoted."""
    home = Home.at(tmp_path)
    home.create()
    (home.state / "signing-key.json").write_text(text)
    with pytest.raises(KeyFileError, match=r"signing-key\.json does not hold a signing key\. Delete it") as caught:
        SigningKey.of(home)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_public_half(tmp_path: Path) -> None:
    """It holds no private part."""
    key = SigningKey.of(Home.at(tmp_path))
    assert key.public().keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}
    assert key.public()["kid"] == key.kid


def test_cache_survives_a_restart(tmp_path: Path) -> None:
    """Keys of other homes are known before the database is up, and the file is private."""
    home = Home.at(tmp_path)
    own, other = SigningKey.of(home), SigningKey.generate()
    PublicKeys(home, own).fetch_with(lambda: [other.public(), own.public()])
    again = PublicKeys(home, own)
    assert again.find(other.kid) is not None
    assert again.find(own.kid) is not None
    assert {key["kid"] for key in again.document()["keys"]} == {own.kid, other.kid}
    if sys.platform != "win32":
        assert (home.state / "jwks.json").stat().st_mode & 0o777 == 0o600


def test_retired_keys_go(tmp_path: Path) -> None:
    """What the database no longer lists is no longer trusted; the own key always is."""
    home = Home.at(tmp_path)
    own, other = SigningKey.of(home), SigningKey.generate()
    keys = PublicKeys(home, own)
    keys.replace([other.public()])
    keys.replace([])
    keys.replace([])
    assert keys.find(other.kid) is None
    assert keys.find(own.kid) is not None


def test_private_parts_are_never_taken_over(tmp_path: Path) -> None:
    """Even if a private key were listed, it would not be shown."""
    home = Home.at(tmp_path)
    keys = PublicKeys(home, SigningKey.of(home))
    keys.replace([SigningKey.generate().key.as_dict(private=True)])
    assert len(keys.document()["keys"]) == 2
    assert '"d"' not in json.dumps(keys.document()) + (home.state / "jwks.json").read_text()


def test_foreign_entries_are_left_out(tmp_path: Path) -> None:
    """Other curves, other kinds, nonsense."""
    home = Home.at(tmp_path)
    keys = PublicKeys(home, SigningKey.of(home))
    rsa, curve = RSAKey.generate_key(2048).as_dict(private=False), ECKey.generate_key("P-384").as_dict(private=False)
    keys.replace([rsa, curve, {}, {"crv": "P-256"}, {"crv": "P-256", "kty": "EC", "x": "?", "y": "?"}])
    assert len(keys.document()["keys"]) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"keys": 3}', '{"keys": [3, null]}'])
def test_damaged_cache(tmp_path: Path, text: str) -> None:
    """A cache that cannot be read costs the other homes' keys until the database is up, and nothing else."""
    home = Home.at(tmp_path)
    own = SigningKey.of(home)
    (home.state / "jwks.json").write_text(text)
    assert PublicKeys(home, own).find(own.kid) is not None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk keys are known all the same; the file only saves time."""
    home = Home.at(tmp_path / "home")
    keys = PublicKeys(home, SigningKey.of(home))
    other = SigningKey.generate()

    def full(**_options: object) -> tuple[int, str]:
        return os.open("/dev/full", os.O_WRONLY), str(tmp_path / "made")

    monkeypatch.setattr("server.paths.tempfile.mkstemp", full)
    keys.fetch_with(lambda: [other.public()])
    assert keys.find(other.kid) is not None
    assert not (home.state / "jwks.json").exists()
