"""The small rules, one by one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from server.oauth import keys as keys_module
from server.oauth.authority import Payload, Request
from server.oauth.keys import PublicKeys, SigningKey
from server.oauth.login import Login
from server.oauth.metadata import authorization_server
from server.oauth.redirects import answer_address, destination, form_action, matches, refusal
from server.oauth.resources import Resources, UnknownResourceError
from server.oauth.site import Site
from server.paths import Home
from server.store.database import Database
from server.store.oauth import OAuthTables
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from server.web.forms import BadFormError, read_form


@pytest.mark.parametrize(
    ("registered", "requested", "same"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:1234/cb", True),
        ("http://localhost:1/cb", "http://localhost:2/cb", True),
        ("http://localhost:1", "http://localhost:2/", True),
        ("http://localhost:1/cb", "http://127.0.0.1:1/cb", False),
        ("http://localhost/cb", "http://localhost/cb?x=1", False),
        ("http://localhost/cb", "http://localhost/cb/../x", False),
        ("http://localhost/cb", "https://localhost:1/cb", False),
        ("https://localhost/cb", "https://localhost:1/cb", False),
        ("http://localhost/cb", "http://localhost:1@evil.example/cb", False),
        ("app:cb", "app:cb", True),
        ("app:cb", "App:cb", False),
        ("javascript:x", "javascript:x", False),
    ],
)
def test_redirects_that_match(registered: str, requested: str, same: bool) -> None:
    """Exactly, but for the port on loopback."""
    assert matches(registered, requested) is same


@pytest.mark.parametrize(
    "uri", ["com.example:/cb", "cursor://x/y", "myapp:cb", "http://[::1]:80/", "https://example.org?x=%20", "vscode://a.b/c"]
)
def test_redirects_that_are_allowed(uri: str) -> None:
    """Apps, loopback, https."""
    assert refusal(uri) is None
    assert destination(uri)


@pytest.mark.parametrize(
    "uri", ["https://example.org/" + "x" * 2048, "https://a/#b", "https://[::1/", "http://127.0.0.1:x/", "/relative", "https://u@a/"]
)
def test_redirects_that_are_not_allowed(uri: str) -> None:
    """Each says why."""
    assert refusal(uri)


def test_answers_and_sources() -> None:
    """A query is added to; the policy's source holds nothing that could end it."""
    assert answer_address("https://a/b", [("code", "x y"), ("iss", "http://h:1")]) == "https://a/b?code=x+y&iss=http%3A%2F%2Fh%3A1"
    assert answer_address("app:cb?a=b", [("code", "x")]) == "app:cb?a=b&code=x"
    assert form_action("https://EXAMPLE.org:8443/a;b,c'd") == "https://example.org:8443"
    assert (destination("cursor://x/y"), destination("https://a.b:1/c")) == ("cursor:", "a.b:1")


@pytest.mark.parametrize(
    "resource",
    [
        "http://127.0.0.1:7662",
        "http://127.0.0.1:7662/mcp//",
        "http://127.0.0.1:7662/mcp?x",
        "http://127.0.0.1:7662/mcp#x",
        "http://[x",
        "/mcp",
    ],
)
def test_resources_that_are_none(resource: str) -> None:
    """One slash is tolerated, nothing else."""
    resources = Resources(Site.at(7662, None), {"/mcp": frozenset()})
    assert resources.path([]) == resources.path(["HTTP://LOCALHOST:7662/mcp/"]) == "/mcp"
    with pytest.raises(UnknownResourceError):
        resources.path([resource])


def test_form_reader() -> None:
    """Empty values are left out, as RFC 6749 says."""
    assert read_form(b"a=1&b=&c=%C3%A9&a=2", frozenset({"a"})) == {"a": ["1", "2"], "c": ["\u00e9"]}
    with pytest.raises(BadFormError):
        read_form("a=é".encode())


def test_request_as_the_library_sees_it() -> None:
    """Query and form are the same here."""
    request = Request("GET", {"a": ["1", "2"]})
    assert request.args == request.form == {"a": "1"}
    assert Payload({"a": ["1"]}).datalist == {"a": ["1"]}


def test_document_of_a_public_server() -> None:
    """It passes the library's own check of RFC 8414."""
    document = authorization_server(Site.at(7662, "https://memory.example.org/"))
    assert document["issuer"] == "https://memory.example.org"


def test_key_rotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old key is replaced at the start of a server, and only then; the new file says which one it replaces."""
    home = Home.at(tmp_path)
    first = SigningKey.of(home)
    assert SigningKey.of(home, rotate=True).kid == first.kid
    later = time.time() + (keys_module.ROTATION_DAYS + 1) * 86400
    monkeypatch.setattr("server.oauth.keys.time.time", lambda: later)
    assert SigningKey.of(home).kid == first.kid
    second = SigningKey.of(home, rotate=True)
    assert second.kid != first.kid
    assert SigningKey.of(home).replaces == second.replaces == first.kid
    assert "created" not in json.dumps(PublicKeys(home, second).document())


def test_replaced_key(database: Database) -> None:
    """It stays good until its last tokens have expired."""
    tables, first, second = OAuthTables(database.transaction, 1), SigningKey.generate(), SigningKey.generate()
    tables.register_key(first.public())
    tables.register_key(second.public(), first.kid)
    assert {first.kid, second.kid} <= {jwk["kid"] for jwk in tables.public_keys()}
    with database.transaction() as connection:
        connection.execute("UPDATE signing_keys SET superseded_at = superseded_at - interval '3 hours' WHERE kid = %s", [first.kid])
    tables.register_key(second.public(), first.kid)
    kids = {jwk["kid"] for jwk in tables.public_keys()}
    assert first.kid not in kids
    assert second.kid in kids


def test_a_hash_that_is_none(database: Database, owner: int) -> None:
    """A damaged row lets nobody in."""
    store = OAuthFlow(database.transaction, owner)
    OAuthOwner(database.transaction, owner).set_login("ada", "no hash")
    login = Login(store, None)
    assert login.is_set()
    assert login.check("ada", "x") is False
    assert login.check("ada", "x" * 5000) is False
