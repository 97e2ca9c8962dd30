"""What the owner's own programs see and do about access: the desktop window and the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.oauth.builtin import CLI_CLIENT, READ, WRITE
from server.secrets_store import owner_token
from server.store.database import Database
from tests.oauth.support import Browser, OAuthClient, location, new_client, query
from tests.web_support import Answer, Probe, fetch


def send(probe: Probe, path: str, body: Any = None, method: str = "POST") -> Answer:
    """A call with the owner's token."""
    content = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    headers = {"Authorization": f"Bearer {owner_token(probe.home)}", "Content-Type": "application/json"}
    return fetch(probe.port, method, f"/api/v1/oauth{path}", headers, content)


def listed(probe: Probe, client_id: str) -> dict[str, Any]:
    """A client as the list shows it."""
    [one] = [one for one in probe.owner("GET", "/oauth/clients").json["clients"] if one["client_id"] == client_id]
    return dict(one)


def test_clients(probe: Probe, client: OAuthClient) -> None:
    """What each may do, and when and for what it was last used."""
    assert listed(probe, client.id)["approved_at"] is None
    client.log_in([READ])
    assert listed(probe, client.id)["last_used_at"] is None
    client.works()
    seen = listed(probe, client.id)
    assert (seen["name"], seen["kind"], seen["last_tool"]) == ("Test Client", "registered", "echo")
    assert seen["approved_at"]
    assert seen["last_used_at"]
    [grant] = seen["grants"]
    assert (grant["scopes"], grant["path"], grant["last_tool"]) == ([READ], "/mcp", "echo")
    assert listed(probe, CLI_CLIENT)["kind"] == "builtin"


def test_last_use_is_written_once_a_minute(probe: Probe, client: OAuthClient, database: Database) -> None:
    """Not a write for each call."""
    client.log_in()
    client.works()
    client.works(tool="erase")
    assert listed(probe, client.id)["last_tool"] == "echo"
    with database.transaction() as connection:
        connection.execute("UPDATE oauth_grants SET last_used_at = now() - interval '61 seconds'")
    client.works(tool="erase")
    assert listed(probe, client.id)["last_tool"] == "erase"


def test_revoke_and_delete(probe: Probe, client: OAuthClient) -> None:
    """One grant, all of a client, or the client itself; built-in ones stay."""
    client.log_in()
    [grant] = listed(probe, client.id)["grants"]
    assert send(probe, f"/grants/{grant['id']}/revoke").status == 200
    assert client.works() == 401
    assert send(probe, f"/grants/{grant['id']}/revoke").status == 404
    client.log_in()
    assert send(probe, f"/clients/{client.id}/revoke").status == 200
    assert client.works() == 401
    assert client.log_in()["access_token"]  # it may ask again
    assert send(probe, f"/clients/{client.id}", method="DELETE").status == 200
    assert client.works() == 401
    assert send(probe, f"/clients/{client.id}", method="DELETE").status == 404
    assert send(probe, f"/clients/{client.id}/revoke").status == 404
    assert send(probe, f"/clients/{CLI_CLIENT}", method="DELETE").status == 404


def test_approval_in_the_window(probe: Probe, client: OAuthClient) -> None:
    """The page that waits goes on by itself, in the browser that began and in no other."""
    page = client.begin()
    waiting = page.browser.get(f"/oauth/consent?request={page.fields['request']}&wait=1")
    path = f"/oauth/consent?request={page.fields['request']}&wait=1"
    assert waiting.all("refresh") == [f"3; url={path}"]
    [pending] = probe.owner("GET", "/oauth/pending").json["pending"]
    assert (pending["client_name"], pending["destination"], pending["loopback"]) == ("Test Client", "127.0.0.1:7777", True)
    assert pending["check_code"] in page.text
    assert page.fields["request"] not in json.dumps(pending)
    assert send(probe, f"/pending/{pending['id']}/approve", {"scopes": [READ]}).status == 200
    assert Browser(probe).get(path).status == 410
    answer = page.browser.get(path)
    assert answer.status == 303
    assert client.redeem(query(location(answer))["code"]).json["scope"] == READ
    assert page.browser.get(path).status == 410


def test_refusal_in_the_window(probe: Probe, client: OAuthClient) -> None:
    """The client learns of it in the same way."""
    page = client.begin()
    [pending] = probe.owner("GET", "/oauth/pending").json["pending"]
    assert send(probe, f"/pending/{pending['id']}/deny").status == 200
    assert send(probe, f"/pending/{pending['id']}/approve").status == 404
    assert page.send().status == 410
    answer = page.browser.get(f"/oauth/consent?request={page.fields['request']}")
    assert query(location(answer))["error"] == "access_denied"


def test_approve_all_that_was_asked(probe: Probe, client: OAuthClient) -> None:
    """Without a choice, and never more."""
    page = client.begin(scope=f"{READ} {WRITE}")
    [pending] = probe.owner("GET", "/oauth/pending").json["pending"]
    for scopes in ([], ["memories:delete"], "memories:read", None):
        assert send(probe, f"/pending/{pending['id']}/approve", {"scopes": scopes}).status == 400
    assert send(probe, f"/pending/{pending['id']}/approve").status == 200
    answer = page.browser.get(f"/oauth/consent?request={page.fields['request']}")
    assert client.redeem(query(location(answer))["code"]).json["scope"] == f"{READ} {WRITE}"


@pytest.mark.parametrize("request_id", ["x", "00", "0" * 64])
def test_no_such_request(probe: Probe, request_id: str) -> None:
    """404 in every form."""
    assert send(probe, f"/pending/{request_id}/approve").status == 404
    assert send(probe, f"/pending/{request_id}/deny").status == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "\u202e"},
        {"name": "x" * 201},
        {"name": 3},
        {"name": "a", "path": "/nothing"},
        {"name": "a", "path": 3},
        {"name": "a", "scopes": []},
        {"name": "a", "scopes": ["admin"]},
        {"name": "a", "scopes": "memories:read"},
        {"name": "a\0"},
        [],
        b"{",
        b"[" * 50_000,
    ],
)
def test_static_tokens_that_cannot_be(probe: Probe, body: Any) -> None:
    """400 that says what is allowed."""
    assert send(probe, "/tokens", body).status == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"password": 3},
        {"password": "short"},
        {"password": "x" * 2000},
        {"password": "long enough\n"},
        {"username": " ", "password": "long enough"},
    ],
)
def test_logins_that_cannot_be(probe: Probe, body: Any) -> None:
    """400, and the old one stays."""
    assert send(probe, "/login", body).status == 400
    assert probe.owner("GET", "/oauth/login").json["username"] == "ada"


def test_login_is_set(probe: Probe) -> None:
    """The new one counts from then on, the old one no more."""
    assert send(probe, "/login", {"username": "bob", "password": "something long"}).json["username"] == "bob"
    page = new_client(probe).begin()
    assert page.send().status == 403
    assert page.send(username="bob", password="something long").status == 303


def test_needs_the_owner(probe: Probe, client: OAuthClient) -> None:
    """A client's token opens none of it."""
    client.log_in()
    for path in ("/oauth/clients", "/oauth/tokens", "/oauth/pending", "/oauth/login"):
        assert probe.owner("GET", path, token=client.tokens["access_token"]).status == 401
