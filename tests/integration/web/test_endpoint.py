"""What stands in front of an MCP endpoint: token, method, message, scopes, grant, stages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.memory.ports import StoreError
from server.oauth.builtin import BUILTIN_GRANTS, CLI_CLIENT, READ
from server.oauth.grants import Grant
from server.oauth.keys import SigningKey
from server.oauth.tokens import AccessToken, TokenRequest, mint
from server.parts import StartError
from server.paths import Home
from server.settings import Settings
from tests.probe_server import ProbeParts
from tests.web_support import PATIENCE, Probe, fetch, serving


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Probe]:
    """A server that the test may change."""
    with serving(tmp_path / "home") as running:
        assert running.ready.wait(PATIENCE)
        yield running


def challenge(probe: Probe, host: str = "127.0.0.1", path: str = "/mcp") -> str:
    """What the challenge says about where to look."""
    return f'resource_metadata="http://{host}:{probe.port}/.well-known/oauth-protected-resource{path}"'


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/other"])
def test_no_token(probe: Probe, method: str, path: str) -> None:
    """401 before anything else, with one challenge, which names no error."""
    answer = fetch(probe.port, method, path)
    assert answer.status == 401
    assert answer.json["ok"] is False
    assert answer.json["error"]["code"] == "AUTH_REQUIRED"
    [header] = answer.all("www-authenticate")
    assert header == f'Bearer {challenge(probe, path=path)}, scope="memories:delete memories:read memories:write"'


def test_challenge_follows_the_host(probe: Probe) -> None:
    """A client that says localhost is sent to localhost."""
    [header] = fetch(probe.port, "GET", "/mcp", {"Host": f"LOCALHOST:{probe.port}"}).all("www-authenticate")
    assert challenge(probe, "localhost") in header


@pytest.mark.parametrize("value", ["Bearer abc", "Bearer ", "Basic abc", "Bearer é", "bearer a.b.c"])
def test_bad_token(probe: Probe, value: str) -> None:
    """401 with one challenge that says invalid_token."""
    answer = fetch(probe.port, "POST", "/mcp", {"Authorization": value}, b"{}")
    assert answer.status == 401
    assert answer.json["error"]["code"] == "AUTH_FAILED"
    [header] = answer.all("www-authenticate")
    assert 'error="invalid_token"' in header
    assert challenge(probe) in header


def test_expired_token(probe: Probe) -> None:
    """An expired token is refused in the same form."""
    old = mint(SigningKey.of(probe.home), TokenRequest(probe.site.issuer, probe.site.resource("/mcp"), "1", "c", "g", [READ]), now=1)
    answer = probe.call("echo", token=old)
    assert answer.status == 401
    assert answer.json["error"]["code"] == "AUTH_FAILED"
    assert "expired" in answer.all("www-authenticate")[0]


def test_token_of_another_endpoint(probe: Probe) -> None:
    """A token is good for its own endpoint alone."""
    assert probe.call("echo", path="/mcp/other").status == 200
    answer = probe.call("echo", path="/mcp", token=probe.token("/mcp/other"))
    assert (answer.status, answer.json["error"]["code"]) == (401, "AUTH_FAILED")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_other_methods(probe: Probe, method: str) -> None:
    """405 at once; no stream is opened."""
    answer = fetch(probe.port, method, "/mcp", {"Authorization": f"Bearer {probe.token()}", "Accept": "text/event-stream"})
    assert answer.status == 405
    assert answer.all("allow") == ["POST"]


DEEP = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":' + b'{"a":' * 90 + b"1" + b"}" * 90 + b"}}"
WIDE = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b"[]," * 200_000 + b"[]]}}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe{}", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping\x00"}', -32700),
        (b"[" * 100_000, -32700),
        (b'{"id":NaN}', -32700),
        (b'{"id":1e999}', -32700),
        (b'{"id":' + b"9" * 5000 + b"}", -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32600),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600),
        (DEEP, -32600),
        (WIDE, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_hostile_bodies(probe: Probe, body: bytes, code: int, version: str) -> None:
    """A JSON-RPC error, never a fault of the server."""
    answer = probe.post(body, MCP_Protocol_Version=version)
    assert answer.status == 400
    assert answer.json["error"]["code"] == code


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": "text"}},
        {"jsonrpc": "2.0", "id": 10**400, "method": "tools/call", "params": {"name": "echo"}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": 10**400}}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "a\0b"}}},
        {"jsonrpc": "2.0", "id": True, "method": "tools/list"},
        {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}},
        {"jsonrpc": "2.0", "id": 1, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"method": "tools/list"},
        {},
    ],
)
def test_odd_messages(probe: Probe, message: object) -> None:
    """Whatever the library makes of them, it is not a fault of the server, and nothing is quoted in a log."""
    assert probe.post(message).status < 500
    assert probe.post(message, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="echo").status < 500


def test_duplicate_keys_cannot_split_check_and_act(probe: Probe) -> None:
    """What is checked is what runs: of two names, both see the same one."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"erase","name":"echo"}}'
    answer = probe.post(body, token=probe.token(scopes=[READ]))
    assert answer.json["result"]["structuredContent"]["ok"] is True


def test_missing_scope(probe: Probe) -> None:
    """403 names all that the call needs; what the token allows still works."""
    reader = probe.token(scopes=[READ])
    assert probe.call("echo", token=reader).status == 200
    answer = probe.call("echo", {"erase": True}, token=reader)
    assert answer.status == 403
    [header] = answer.all("www-authenticate")
    assert 'error="insufficient_scope"' in header
    assert 'scope="memories:delete memories:read"' in header
    assert challenge(probe) in header
    assert answer.json["error"]["code"] == "AUTH_FAILED"


def test_revoked_grant(own: Probe) -> None:
    """A revoked client is out at its next call, although its token has not expired."""
    token = own.token()
    assert own.call("echo", token=token).status == 200
    own.parts.grants.revoked.add(BUILTIN_GRANTS[CLI_CLIENT])
    answer = own.call("echo", token=token)
    assert (answer.status, answer.json["error"]["code"]) == (401, "AUTH_FAILED")


def test_narrowed_grant(own: Probe) -> None:
    """What the person has unticked counts, whatever the token says."""
    own.parts.grants.scopes = frozenset({READ})
    assert own.call("echo").status == 200
    assert own.call("erase").status == 403


def test_client_name_reaches_the_tool(probe: Probe) -> None:
    """The journal shows what the client at the other end of the bridge calls itself."""
    result = probe.call("echo", token=probe.token(client_name="Some Editor")).json["result"]
    assert result["structuredContent"]["client"] == "Some Editor"


def test_many_at_once(probe: Probe) -> None:
    """Calls run side by side, and each gets its own answer."""
    token = probe.token()
    with ThreadPoolExecutor(16) as pool:
        texts = [f"text {number}" for number in range(64)]
        answers = list(pool.map(lambda text: probe.call("echo", {"text": text}, token=token), texts))
    assert [answer.json["result"]["structuredContent"]["text"] for answer in answers] == texts


def starting(folder: Path, **failing: StartError) -> ProbeParts:
    """Parts whose stages do not come up until their gates are opened, and then perhaps fail."""
    parts = ProbeParts(Home.at(folder), Settings.read({}))
    parts.database_gate.clear()
    parts.model_gate.clear()
    parts.failing = dict(failing)
    return parts


def test_lists_before_the_stages_are_up(tmp_path: Path) -> None:
    """initialize and tools/list need neither database nor model, but a good token."""
    with serving(tmp_path / "home", parts=starting(tmp_path)) as probe:
        assert probe.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status == 200
        assert probe.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, token="x").status == 401
        health = fetch(probe.port, "GET", "/healthz").json
        assert health["status"] == "starting"
        assert health["stages"]["database"]["state"] == "starting"


def test_a_call_waits_for_both_stages(tmp_path: Path) -> None:
    """A call that comes early is answered as soon as database and model are up."""
    with serving(tmp_path / "home", parts=starting(tmp_path)) as probe, ThreadPoolExecutor(1) as pool:
        early = pool.submit(probe.call, "echo", {"text": "x"})
        assert not early.done()
        probe.parts.database_gate.set()
        probe.parts.model_gate.set()
        assert early.result(PATIENCE).json["result"]["structuredContent"]["ok"] is True


@pytest.mark.parametrize(("missing", "code"), [("database", "DATABASE_ERROR"), ("model", "EMBEDDING_ERROR")])
def test_a_call_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, code: str) -> None:
    """After the wait, the toolset's own error says which stage is missing."""
    monkeypatch.setattr("server.web.endpoint.STAGE_WAIT", 0.2)
    parts = starting(tmp_path)
    (parts.model_gate if missing == "database" else parts.database_gate).set()
    with serving(tmp_path / "home", parts=parts) as probe:
        began = time.monotonic()
        result = probe.call("echo").json["result"]
        assert time.monotonic() - began >= 0.2
        assert result["isError"] is True
        assert result["structuredContent"]["error"]["code"] == code


def test_a_failed_database_is_told_at_once(tmp_path: Path) -> None:
    """With the advice that the stage gave; health says degraded and keeps the advice for the owner."""
    parts = starting(tmp_path, database=StartError("The disk is full. Free some space."))
    parts.database_gate.set()
    parts.model_gate.set()
    with serving(tmp_path / "home", parts=parts) as probe:
        result = probe.call("echo").json["result"]
        assert result["structuredContent"]["error"] == {"code": "DATABASE_ERROR", "message": "The disk is full. Free some space."}
        health = fetch(probe.port, "GET", "/healthz")
        assert health.json["status"] == "degraded"
        assert b"disk" not in health.body
        stages = {stage["name"]: stage for stage in probe.owner("GET", "/status").json["stages"]}
        assert stages["database"]["advice"] == "The disk is full. Free some space."


def test_a_failed_model_leaves_the_rest(tmp_path: Path) -> None:
    """Tools that do without the model still work."""
    parts = starting(tmp_path, model=StartError("The model file is damaged."))
    parts.database_gate.set()
    parts.model_gate.set()
    with serving(tmp_path / "home", parts=parts) as probe:
        assert probe.call("echo").json["result"]["structuredContent"]["ok"] is True


def test_a_database_that_goes_away(own: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    """The grant cannot be looked at: the toolset's error, not a fault."""

    def gone(_self: object, _token: AccessToken, _tool: str) -> Grant | None:
        raise StoreError("The database went away.")

    monkeypatch.setattr(type(own.parts.grants), "look", gone)
    assert own.call("echo").json["result"]["structuredContent"]["error"]["code"] == "DATABASE_ERROR"


def test_a_key_that_cannot_be_looked_for(own: Probe) -> None:
    """A token of another home, while the database is away: 503, for it may be a good one."""
    own.parts.gone = True
    other = mint(SigningKey.generate(), TokenRequest(own.site.issuer, own.site.resource("/mcp"), "1", "c", "g", [READ]))
    answer = own.call("echo", token=other)
    assert answer.status == 503
    assert answer.all("retry-after") == ["5"]
    assert fetch(own.port, "GET", "/nothing", {"Authorization": f"Bearer {other}"}).status == 401


def test_key_of_another_home(own: Probe) -> None:
    """A home that joins the database later is known from its first token on."""
    other = SigningKey.generate()
    wanted = TokenRequest(own.site.issuer, own.site.resource("/mcp"), "1", CLI_CLIENT, BUILTIN_GRANTS[CLI_CLIENT], [READ])
    assert own.call("echo", token=mint(other, wanted)).status == 401
    own.parts.register_key(other.public(), None)
    assert own.call("echo", token=mint(other, wanted)).status == 200
