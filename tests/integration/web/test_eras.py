"""Both eras of the protocol, driven by the library's own client over HTTP, and the raw forms of older versions."""

from __future__ import annotations

import json
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from server import __version__
from tests.web_support import Probe

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def handshake(version: str) -> dict[str, Any]:
    """An initialize request."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_library_client(probe: Probe, mode: str) -> None:
    """The client connects, lists and calls; errors come back as results."""

    async def use() -> None:
        headers = {"Authorization": f"Bearer {probe.token()}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"http://localhost:{probe.port}/mcp", http_client=http), mode=mode) as client,
        ):
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["echo", "slow", "fail", "crash", "erase"]
            result = await client.call_tool("echo", {"text": "Grüße 🌍"})
            assert result.structured_content == {"ok": True, "text": "Grüße 🌍", "client": "ownsona-cli", "owner": 1}
            failed = await client.call_tool("fail", {})
            assert failed.is_error
            unknown = await client.call_tool("nothing", {})
            assert unknown.is_error
            assert unknown.structured_content is not None
            assert unknown.structured_content["error"]["code"] == "INVALID_INPUT"

    anyio.run(use)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_handshake_versions(probe: Probe, version: str) -> None:
    """Each old version is answered in kind, with who we are and what we say about ourselves."""
    result = probe.post(handshake(version)).json["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"] == {"name": "ownsona", "title": "OwnSona Desktop", "version": __version__}
    assert result["instructions"] == "A probe. Ünïcode."
    listed = probe.post({"jsonrpc": "2.0", "id": "x", "method": "tools/list"}, MCP_Protocol_Version=version).json
    assert listed["id"] == "x"
    assert listed["result"]["tools"][0]["name"] == "echo"


def test_unknown_handshake_version(probe: Probe) -> None:
    """A version that nobody knows is answered with the newest of the old."""
    assert probe.post(handshake("1999-01-01")).json["result"]["protocolVersion"] == "2025-11-25"


def test_discover(probe: Probe) -> None:
    """The newer era's first question."""
    answer = probe.post(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}},
        MCP_Protocol_Version="2026-07-28",
        Mcp_Method="server/discover",
    )
    assert answer.status == 200
    assert answer.json["result"]["supportedVersions"] == ["2026-07-28"]


def test_same_object_in_text_and_structure(probe: Probe) -> None:
    """Clients read the one or the other; the text is compact and holds characters as they are."""
    result = probe.call("echo", {"text": 'é"\n'}).json["result"]
    [content] = result["content"]
    assert json.loads(content["text"]) == result["structuredContent"]
    assert content["text"].startswith('{"ok":true,"text":"é')
    assert result["isError"] is False


def test_annotations_are_explicit(probe: Probe) -> None:
    """No hint is left to a client's default."""
    tools = probe.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json["result"]["tools"]
    for tool in tools:
        assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= tool["annotations"].keys()


def test_old_session_id_is_ignored(probe: Probe) -> None:
    """After a restart of the server, clients go on with the session that they think they have."""
    assert probe.call("echo", {"text": "x"}, Mcp_Session_Id="0123456789abcdef").status == 200


def test_unexpected_failure_tells_nothing(probe: Probe) -> None:
    """A fault inside a tool is an error for the client, without the text that caused it."""
    answer = probe.call("crash", {"text": "MARKER-7f3a"})
    assert answer.status == 200
    assert answer.json["error"]["code"] == -32603
    assert b"MARKER-7f3a" not in answer.body
