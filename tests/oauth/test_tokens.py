"""The checks on an access token, one by one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from server.oauth.keys import PublicKeys, SigningKey
from server.oauth.tokens import LIFETIME, MAX_TOKEN_CHARS, SKEW, TokenError, TokenRequest, TokenVerifier, mint
from server.paths import Home

ISSUER = "http://127.0.0.1:7662"
AUDIENCE = "http://127.0.0.1:7662/mcp"
NOW = 1_800_000_000


class Bench:
    """A home's key, and a verifier over it."""

    def __init__(self, folder: Path) -> None:
        self.home = Home.at(folder)
        self.key = SigningKey.of(self.home)
        self.keys = PublicKeys(self.home, self.key)
        self.verifier = TokenVerifier(self.keys, ISSUER)

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Good claims, changed; None leaves a claim out."""
        good = {
            "iss": ISSUER, "sub": "1", "aud": AUDIENCE, "iat": NOW, "exp": NOW + 3600, "jti": "j",
            "client_id": "c", "scope": "memories:read memories:write", "grant": "g",
        }  # fmt: skip
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    def sign(self, claims: dict[str, Any], header: dict[str, Any] | None = None, key: ECKey | None = None) -> str:
        """A token with any claims and headers, signed with ES256."""
        fields = {"alg": "ES256", "typ": "at+jwt", "kid": self.key.kid, **(header or {})}
        return jwt.encode({name: value for name, value in fields.items() if value is not None}, claims, key or self.key.key, ["ES256"])

    def refuse(self, token: str, now: int = NOW) -> str:
        """The reason for which the token is refused; it never quotes the token."""
        with pytest.raises(TokenError) as caught:
            self.verifier.verify(token, {AUDIENCE}, now)
        assert token not in str(caught.value) or token == ""
        return str(caught.value)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A fresh home."""
    return Bench(tmp_path / "home")


def part(value: object) -> str:
    """One part of a compact token."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_minted_token_is_good(bench: Bench) -> None:
    """What is minted passes, with all that was asked for."""
    wanted = TokenRequest(ISSUER, AUDIENCE, "1", "client", "grant", ["b", "a"], "Editor")
    token = bench.verifier.verify(mint(bench.key, wanted, NOW), {AUDIENCE, "other"}, NOW)
    assert (token.subject, token.client_id, token.client_name, token.grant) == ("1", "client", "Editor", "grant")
    assert token.scopes == {"a", "b"}
    assert token.kid == bench.key.kid
    assert token.expires_at == NOW + LIFETIME


def test_clock_of_the_computer(bench: Bench) -> None:
    """Without a given time, both sides take the computer's."""
    token = bench.verifier.verify(mint(bench.key, TokenRequest(ISSUER, AUDIENCE, "1", "c", "g", [])), {AUDIENCE})
    assert abs(token.expires_at - time.time() - LIFETIME) < 60
    assert token.client_name is None


def test_header_and_ids(bench: Bench) -> None:
    """RFC 9068: the type, and an id of its own for each token."""
    wanted = TokenRequest(ISSUER, AUDIENCE, "1", "c", "g", [])
    first, second = mint(bench.key, wanted, NOW), mint(bench.key, wanted, NOW)
    header = json.loads(base64.urlsafe_b64decode(first.split(".")[0] + "=="))
    assert header == {"alg": "ES256", "typ": "at+jwt", "kid": bench.key.kid}
    assert first != second


@pytest.mark.parametrize(("claim", "scopes"), [("a b", {"a", "b"}), (["a", 3], {"a"}), (None, set()), (7, set())])
def test_scope_forms(bench: Bench, claim: object, scopes: set[str]) -> None:
    """One string or a list; anything else grants nothing."""
    assert bench.verifier.verify(bench.sign(bench.claims(scope=claim)), {AUDIENCE}, NOW).scopes == scopes


def test_audience_array(bench: Bench) -> None:
    """One of several audiences is enough."""
    bench.verifier.verify(bench.sign(bench.claims(aud=["x", AUDIENCE])), {AUDIENCE}, NOW)


@pytest.mark.parametrize(
    "audience", ["http://127.0.0.1:7662/mcp/", "http://127.0.0.1:7662", "HTTP://127.0.0.1:7662/mcp", [], ["x"], 3, None]
)
def test_wrong_audience(bench: Bench, audience: object) -> None:
    """The audience is compared byte by byte, and must be there."""
    bench.refuse(bench.sign(bench.claims(aud=audience)))


@pytest.mark.parametrize("issuer", [ISSUER + "/", "http://localhost:7662", "", 3, None, [ISSUER]])
def test_wrong_issuer(bench: Bench, issuer: object) -> None:
    """The issuer too."""
    bench.refuse(bench.sign(bench.claims(iss=issuer)))


def test_expiry_and_skew(bench: Bench) -> None:
    """Clocks may differ by a minute, no more."""
    token = bench.sign(bench.claims())
    bench.verifier.verify(token, {AUDIENCE}, NOW + 3600 + SKEW - 1)
    assert "expired" in bench.refuse(token, NOW + 3600 + SKEW)


def test_not_yet(bench: Bench) -> None:
    """Neither before its time, nor issued in the future."""
    bench.verifier.verify(bench.sign(bench.claims(nbf=NOW + SKEW, iat=NOW + SKEW)), {AUDIENCE}, NOW)
    bench.refuse(bench.sign(bench.claims(nbf=NOW + SKEW + 1)))
    bench.refuse(bench.sign(bench.claims(iat=NOW + SKEW + 1)))


@pytest.mark.parametrize("claim", ["exp", "iat", "sub", "jti", "client_id", "grant"])
def test_missing_claim(bench: Bench, claim: str) -> None:
    """Every claim that RFC 9068 asks for, and those of our own."""
    bench.refuse(bench.sign(bench.claims(**{claim: None})))


@pytest.mark.parametrize(
    ("claim", "value"), [("exp", "soon"), ("exp", True), ("sub", 1), ("client_id", 1), ("grant", {}), ("client_name", 1)]
)
def test_claim_of_the_wrong_type(bench: Bench, claim: str, value: object) -> None:
    """A claim of another type is no claim."""
    bench.refuse(bench.sign(bench.claims(**{claim: value})))


@pytest.mark.parametrize("token", ["", "x", "a.b", "a.b.c", "a.b.c.d", "é.b.c", "..", "e30.e30.", "\ud800.b.c"])
def test_malformed(bench: Bench, token: str) -> None:
    """Not a compact token."""
    bench.refuse(token)


def test_long(bench: Bench) -> None:
    """Nobody needs to decode what is absurdly long."""
    assert "too long" in bench.refuse("a" * (MAX_TOKEN_CHARS + 1))


@pytest.mark.parametrize("payload", [b"[]", b"no json", b"\xff"])
def test_payload_that_is_no_object(bench: Bench, payload: bytes) -> None:
    """Signed, and still not claims."""
    from joserfc import jws

    bench.refuse(jws.serialize_compact({"alg": "ES256", "typ": "at+jwt", "kid": bench.key.kid}, payload, bench.key.key, ["ES256"]))


def test_tampered(bench: Bench) -> None:
    """Other claims under the same signature."""
    header, _, signature = bench.sign(bench.claims()).split(".")
    bench.refuse(f"{header}.{part(bench.claims(scope='everything'))}.{signature}")


def test_other_key_under_a_known_id(bench: Bench) -> None:
    """A foreign key does not become ours by its label."""
    bench.refuse(bench.sign(bench.claims(), key=SigningKey.generate().key))


def test_unknown_key(bench: Bench) -> None:
    """A key that nobody registered."""
    other = SigningKey.generate()
    assert "does not know" in bench.refuse(bench.sign(bench.claims(), {"kid": other.kid}, other.key))


def test_unknown_key_is_fetched(bench: Bench) -> None:
    """A key that another home has registered meanwhile is found at the first token that it signed."""
    other = SigningKey.generate()
    registered: list[dict[str, str]] = []
    bench.keys.fetch_with(lambda: registered)
    token = bench.sign(bench.claims(), {"kid": other.kid}, other.key)
    bench.refuse(token)
    registered.append(other.public())
    bench.verifier.verify(token, {AUDIENCE}, NOW)


@pytest.mark.parametrize("kid", [None, 3, "", "../../etc/passwd", "x" * 43])
def test_key_ids_that_are_none(bench: Bench, kid: object) -> None:
    """Ids that cannot be ours are never looked for."""
    asked: list[None] = []

    def fetch() -> list[dict[str, str]]:
        asked.append(None)
        return []

    bench.keys.fetch_with(fetch)
    asked.clear()
    header = part({"alg": "ES256", "typ": "at+jwt", **({} if kid is None else {"kid": kid})})
    bench.refuse(f"{header}.{part(bench.claims())}.{part(b'0' * 64)}")
    assert len(asked) == (1 if kid == "x" * 43 else 0)


@pytest.mark.parametrize("kind", ["JWT", "at+JWT", "dpop+jwt", None])
def test_wrong_type(bench: Bench, kind: str | None) -> None:
    """Another kind of JWT is not an access token."""
    header = part({"alg": "ES256", "kid": bench.key.kid, **({} if kind is None else {"typ": kind})})
    bench.refuse(f"{header}.{part(bench.claims())}.{part(b'0' * 64)}")


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS256", "ES384", "es256", ["ES256"], None])
def test_wrong_algorithm(bench: Bench, algorithm: object) -> None:
    """ES256 and nothing else, whatever the header says."""
    header = part({"alg": algorithm, "typ": "at+jwt", "kid": bench.key.kid})
    bench.refuse(f"{header}.{part(bench.claims())}.")


def test_public_key_as_a_shared_secret(bench: Bench) -> None:
    """The old trick: HMAC with the public key's text."""
    signed = f"{part({'alg': 'HS256', 'typ': 'at+jwt', 'kid': bench.key.kid})}.{part(bench.claims())}"
    mac = hmac.new(bench.key.key.as_pem(private=False), signed.encode(), hashlib.sha256).digest()
    bench.refuse(f"{signed}.{part(mac)}")


def test_key_in_the_header(bench: Bench) -> None:
    """A key that the token brings along is not asked."""
    other = SigningKey.generate()
    header = {"jwk": other.key.as_dict(private=False), "kid": bench.key.kid}
    bench.refuse(bench.sign(bench.claims(), header, other.key))


def test_rsa_token(bench: Bench) -> None:
    """A well-formed token of another algorithm."""
    rsa = RSAKey.generate_key(2048)
    bench.refuse(jwt.encode({"alg": "RS256", "typ": "at+jwt", "kid": bench.key.kid}, bench.claims(), rsa, ["RS256"]))


def test_critical_header(bench: Bench) -> None:
    """An extension that must be understood, and is not."""
    header = part({"alg": "ES256", "typ": "at+jwt", "kid": bench.key.kid, "crit": ["x"], "x": 1})
    bench.refuse(f"{header}.{part(bench.claims())}.{part(b'0' * 64)}")
