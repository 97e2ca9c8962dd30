"""Addresses, challenges and discovery documents."""

from __future__ import annotations

import json

import pytest

from server.oauth import challenge
from server.oauth.metadata import protected_resource
from server.oauth.site import PublicUrlError, Site


def test_loopback() -> None:
    """All spellings are the same server; the issuer is one of them."""
    site = Site.at(7662, None)
    assert site.issuer == "http://127.0.0.1:7662"
    assert site.hosts == {"127.0.0.1:7662", "localhost:7662", "[::1]:7662"}
    assert site.origins == {f"http://{host}" for host in site.hosts}
    assert site.audiences("/mcp") == {f"{origin}/mcp" for origin in site.origins}
    assert site.resource("/mcp") == "http://127.0.0.1:7662/mcp"
    assert site.origin_of("LocalHost:7662") == "http://localhost:7662"


def test_port_80() -> None:
    """Browsers leave the usual port out."""
    assert {"localhost", "127.0.0.1", "[::1]", "localhost:80"} <= Site.at(80, None).hosts


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://Memory.Example.org", "https://memory.example.org"),
        ("https://memory.example.org/", "https://memory.example.org"),
        ("https://memory.example.org:443", "https://memory.example.org"),
        ("http://memory.example.org:80", "http://memory.example.org"),
        ("https://memory.example.org:8443", "https://memory.example.org:8443"),
    ],
)
def test_public_url(given: str, origin: str) -> None:
    """It becomes issuer, Host, Origin and audience, in the form that browsers send."""
    site = Site.at(7662, given)
    host = origin.partition("//")[2]
    assert site.issuer == origin
    assert host in site.hosts
    assert origin in site.origins
    assert f"{origin}/mcp" in site.audiences("/mcp")
    assert site.origin_of(host.upper()) == origin
    assert ("http://" + host in site.origins) == origin.startswith("http://")


@pytest.mark.parametrize(
    "given",
    [
        "",
        "memory.example.org",
        "ftp://a",
        "https://",
        "https://a/b",
        "https://a?b",
        "https://a#b",
        "https://u@a",
        "https://a:x",
        "https://[a",
        "https://a:0",
    ],
)
def test_bad_public_url(given: str) -> None:
    """Anything but an origin is refused, with an example of what is meant."""
    with pytest.raises(PublicUrlError, match="OWNSONA_PUBLIC_URL"):
        Site.at(7662, given)


def test_challenges() -> None:
    """The three refusals."""
    missing = challenge.missing_token("http://h/m", ["b", "a"])
    assert (missing.status, missing.challenge) == (401, 'Bearer resource_metadata="http://h/m", scope="a b"')
    bad = challenge.bad_token("http://h/m", [], 'Say "no"\\\n.')
    assert bad.challenge == 'Bearer error="invalid_token", error_description="Say  no   .", resource_metadata="http://h/m"'
    assert json.loads(bad.body)["error"]["code"] == "AUTH_FAILED"
    scope = challenge.insufficient_scope("http://h/m", ["b", "a"])
    assert scope.status == 403
    assert 'error="insufficient_scope"' in scope.challenge
    assert 'scope="a b"' in scope.challenge


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ([], None),
        ([(b"host", b"x")], None),
        ([(b"authorization", b"Bearer abc")], "abc"),
        ([(b"Authorization", b"bearer  abc ")], "abc"),
        ([(b"authorization", b"Basic abc")], ""),
        ([(b"authorization", b"Bearer")], ""),
        ([(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")], ""),
    ],
)
def test_bearer_token(headers: list[tuple[bytes, bytes]], token: str | None) -> None:
    """One header, one token; two headers are none."""
    assert challenge.bearer_token(headers) == token


def test_metadata() -> None:
    """The document of one endpoint, as reached under one name."""
    assert protected_resource(Site.at(7662, None), "localhost:7662", "/mcp", {"b", "a"}, "Name") == {
        "resource": "http://localhost:7662/mcp",
        "authorization_servers": ["http://127.0.0.1:7662"],
        "scopes_supported": ["a", "b"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Name",
    }
