"""What the bridge answers by itself is what the server would answer."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from server.bridge import Bridge
from server.forwarding import Link, Route
from server.oauth.builtin import BUILTIN_GRANTS, STDIO_CLIENT
from tests.integration.web.conftest import probe as probe  # the same kind of server
from tests.probe_bridge import write_schemas
from tests.web_support import PATIENCE, Probe, serving

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def through_bridge(probe: Probe, folder: Path, *messages: Any) -> list[Any]:
    """What a bridge that is joined to the probe says to these lines."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    output = io.BytesIO()
    schema = json.loads(write_schemas(folder).read_text())["memories"]
    Bridge(io.BytesIO(b"\n".join(lines) + b"\n"), output, Link(probe.home, "memories"), schema).serve()
    return [json.loads(line) for line in output.getvalue().splitlines()]


def initialize(version: str) -> dict[str, Any]:
    """The handshake."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "A Client", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def request(method: str, params: dict[str, Any] | None = None, request_id: Any = 2) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, **({} if params is None else {"params": params})}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"])
def test_handshake_era(probe: Probe, tmp_path: Path, version: str) -> None:
    """initialize, ping and tools/list of every old version."""
    messages = [initialize(version), request("ping"), request("tools/list", request_id=3), request("tools/list", {}, 4)]
    own = through_bridge(probe, tmp_path, *messages)
    negotiated = own[0]["result"]["protocolVersion"]
    assert own == [probe.post(message, MCP_Protocol_Version=negotiated).json for message in messages]


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_newer_era(probe: Probe, tmp_path: Path, method: str) -> None:
    """server/discover and tools/list of the newer era."""
    message = request(method, {"_meta": META})
    [own] = through_bridge(probe, tmp_path, message)
    assert own == probe.post(message, MCP_Protocol_Version="2026-07-28", Mcp_Method=method).json


@pytest.mark.parametrize(
    "message",
    [
        request("server/discover"),
        request("tools/list", {"cursor": "x"}),
        request("resources/list"),
        request("no/such"),
        request("tools/call"),
        request("tools/call", {"name": "fail"}),
        request("initialize", {"protocolVersion": 3}),
    ],
)
def test_everything_else_is_forwarded(probe: Probe, tmp_path: Path, message: dict[str, Any]) -> None:
    """The server judges what is not plainly one of the first questions."""
    [own] = through_bridge(probe, tmp_path, message)
    assert own == probe.post(message, MCP_Protocol_Version="2025-03-26").json


@pytest.mark.parametrize(
    ("method", "meta", "name"),
    [
        ("server/discover", {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, None),
        ("server/discover", {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}, None),
        ("ping", META, None),
        ("tools/call", META, "fail"),
    ],
)
def test_newer_era_is_forwarded(probe: Probe, tmp_path: Path, method: str, meta: dict[str, Any], name: str | None) -> None:
    """With the headers that repeat what the body says."""
    message = request(method, {"_meta": meta, **({"name": name} if name else {})})
    [own] = through_bridge(probe, tmp_path, message)
    version = meta["io.modelcontextprotocol/protocolVersion"]
    headers = {"MCP_Protocol_Version": version, "Mcp_Method": method, **({"Mcp_Name": name} if name else {})}
    assert own == probe.post(message, **headers).json


def test_names_that_no_header_can_carry(probe: Probe, tmp_path: Path) -> None:
    """They travel in the protocol's own wrapping; the tool is unknown, and the headers are right."""
    for name in ("é", " x", "=?base64?eA==?="):
        [own] = through_bridge(probe, tmp_path, request("tools/call", {"_meta": META, "name": name}))
        assert own["result"]["structuredContent"]["error"]["code"] == "INVALID_INPUT"


def test_client_name(probe: Probe, tmp_path: Path) -> None:
    """The tool sees what the client calls itself, in both eras."""
    call = request("tools/call", {"name": "echo", "arguments": {"text": "é"}})
    answers = through_bridge(probe, tmp_path, initialize("2025-11-25"), call)
    assert answers[1]["result"]["structuredContent"] == {"ok": True, "text": "é", "client": "A Client", "owner": 1}
    meta = {**META, "io.modelcontextprotocol/clientInfo": {"name": "Another", "version": "1"}}
    [own] = through_bridge(probe, tmp_path, request("tools/call", {"_meta": meta, "name": "echo"}))
    assert own["result"]["structuredContent"]["client"] == "Another"


def test_bad_lines(probe: Probe, tmp_path: Path) -> None:
    """A line that is no message is told so, and the next one is answered; answers and notifications are not answered."""
    answers = through_bridge(
        probe,
        tmp_path,
        b"{",
        b"\xff",
        b"[]",
        {"jsonrpc": "2.0", "id": [], "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        b"",
        b"   ",
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        request("ping", request_id="last"),
    )
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32700, -32600, -32600, -32600, None]
    assert answers[-1] == {"jsonrpc": "2.0", "id": "last", "result": {}}


def test_tokens_are_renewed(probe: Probe) -> None:
    """Before they expire, and when the server no longer takes one."""
    link = Link(probe.home, "memories")
    message = request("tools/call", {"name": "echo"})
    route = Route("2025-11-25", None, None, repeatable=True)

    def call() -> bool:
        answer = link.forward(message, route, link.expect(2))
        return answer is not None and answer["result"]["structuredContent"]["ok"] is True

    assert call()
    [(key, (first, due))] = link._tokens.items()
    assert call()
    assert link._tokens[key][0] == first
    link._tokens[key] = (first, 0.0)
    assert call()
    assert link._tokens[key][0] != first
    link._tokens[key] = ("no longer good", due)
    assert call()
    assert link._tokens[key][0] != "no longer good"


def test_a_client_that_was_revoked(tmp_path: Path) -> None:
    """It is told so once the renewed token is refused too."""
    with serving(tmp_path / "home") as own:
        assert own.ready.wait(PATIENCE)
        own.parts.grants.revoked.add(BUILTIN_GRANTS[STDIO_CLIENT])
        [answer] = through_bridge(own, tmp_path, request("tools/call", {"name": "echo"}))
        assert "revoked" in answer["error"]["message"]


def test_refusals_in_plain_words(probe: Probe, tmp_path: Path) -> None:
    """What the transport refuses is a JSON-RPC error with the transport's own sentence."""
    big = request("tools/call", {"name": "echo", "arguments": {"text": "a" * (4 * 1024 * 1024)}})
    [own] = through_bridge(probe, tmp_path, big)
    assert "larger than" in own["error"]["message"]
