"""`ownsona mcp`: MCP on stdin and stdout, forwarded to the server of this home.

What every client asks first (`initialize`, `server/discover`, `ping`, `tools/list`) is answered here from the generated
`toolsets/schemas.json`, so that the first answer never waits for a server that is still starting. Standard library and platformdirs only.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from server import __version__
from server.endpoints import LIST_TTL_MS, NAME, TITLE
from server.forwarding import CallLostError, Link, Pending, Route, ServerUnavailableError
from server.jsonrpc import INTERNAL_ERROR, BadMessageError, error_message, read_message
from server.paths import Home
from server.wire import compact

SCHEMAS = Path(__file__).with_name("toolsets") / "schemas.json"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
DEFAULT_VERSION = "2025-03-26"  # what a request means that came before any handshake
META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_SERVER = "io.modelcontextprotocol/serverInfo"
SERVER_INFO = {"name": NAME, "title": TITLE, "version": __version__}
CAPABILITIES = {"tools": {"listChanged": False}}
CONCURRENT = 16  # requests that are forwarded at once

Message = dict[str, Any]


class SchemasError(Exception):
    """The generated file cannot be used; the message names it and the remedy."""


class Bridge:
    """One client on a pair of streams."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, link: Link, schema: Message) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._link = link
        self._instructions: str = schema["instructions"]
        self._tools: list[Message] = schema["tools"]
        self._write_lock = threading.Lock()
        self._version = DEFAULT_VERSION
        self._client: str | None = None
        self._workers = ThreadPoolExecutor(CONCURRENT, thread_name_prefix="forward")

    def serve(self) -> None:
        """Answer until stdin is closed, and then what is still under way."""
        for line in self._stdin:
            if line.strip():
                self._take(line)
        self._workers.shutdown(wait=True)

    def _take(self, line: bytes) -> None:
        try:
            message = read_message(line)
        except BadMessageError as error:
            self._write(error_message(error.request_id, error.code, error.message))
            return
        method = message.get("method")
        if method is None:  # an answer; the server asks nothing, so there is none to wait for
            return
        if "id" not in message:
            if method == "notifications/cancelled":
                self._link.cancel(_params(message).get("requestId"))
            return
        result = self._local_result(method, message)
        if result is not None:
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            self._workers.submit(self._forward, message, self._route(message), self._link.expect(message["id"]))

    def _forward(self, message: Message, route: Route, pending: Pending) -> None:
        request_id = message["id"]
        try:
            answer = self._link.forward(message, route, pending)
        except (ServerUnavailableError, CallLostError) as error:
            answer = error_message(request_id, INTERNAL_ERROR, str(error))
        except Exception as error:  # noqa: BLE001  the boundary of a thread
            text = f"The bridge failed unexpectedly ({type(error).__name__}). Try again."
            answer = error_message(request_id, INTERNAL_ERROR, text)
        if answer is not None:
            self._write(answer)

    def _route(self, message: Message) -> Route:
        """Which era's headers the request needs, and as whom it is sent."""
        modern = _modern_version(message)
        if modern is None:
            return Route(self._version, None, self._client, self._repeatable(message))
        return Route(
            modern, _name_of(message), _client_name(_meta(message).get(META_CLIENT)) or self._client, self._repeatable(message), modern=True
        )

    def _repeatable(self, message: Message) -> bool:
        """Whether sending the request twice does no harm."""
        if message["method"] != "tools/call":
            return True
        hints = {tool["name"]: tool["annotations"] for tool in self._tools}.get(_params(message).get("name"), {})
        return bool(hints.get("readOnlyHint"))

    def _local_result(self, method: str, message: Message) -> Message | None:
        """The answer to a well-formed request that needs no server; everything else is for the server to judge."""
        modern = _modern_version(message)
        if modern is not None:
            if modern not in MODERN_VERSIONS or META_CAPABILITIES not in _meta(message):
                return None
            return self._modern_result(method, message)
        params = _params(message)
        if method == "initialize" and isinstance(params.get("protocolVersion"), str):
            return self._initialize(params)
        if method == "ping":
            return {}
        if method == "tools/list" and params.get("cursor") is None:
            return {"tools": self._tools}
        return None

    def _modern_result(self, method: str, message: Message) -> Message | None:
        common: Message = {"resultType": "complete", "cacheScope": "private", "_meta": {META_SERVER: SERVER_INFO}}
        if method == "server/discover":
            return {
                **common,
                "ttlMs": 0,
                "supportedVersions": list(MODERN_VERSIONS),
                "capabilities": CAPABILITIES,
                "instructions": self._instructions,
            }
        if method == "tools/list" and _params(message).get("cursor") is None:
            return {**common, "ttlMs": LIST_TTL_MS, "tools": self._tools}
        return None

    def _initialize(self, params: Message) -> Message:
        wanted = params["protocolVersion"]
        self._version = wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        self._client = _client_name(params.get("clientInfo"))
        return {
            "protocolVersion": self._version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": self._instructions,
        }

    def _write(self, message: Message) -> None:
        line = compact(message) + b"\n"
        with self._write_lock:
            try:
                self._stdout.write(line)
                self._stdout.flush()
            except BrokenPipeError:
                os._exit(0)  # the client is gone; a thread cannot end the process in another way while stdin is being read


def run(home: Home, toolset: str, schemas: Path = SCHEMAS, command: list[str] | None = None) -> int:
    """Serve this process's stdin and stdout; `command` starts a server that ends with its last lease. Raises SchemasError."""
    try:
        schema = json.loads(schemas.read_text(encoding="utf-8"))[toolset]
    except (OSError, ValueError, KeyError):
        raise SchemasError(f"The tool descriptions in {schemas} are missing or damaged. Install OwnSona again.") from None
    link = Link(home, toolset, command)
    link.warm_up()
    Bridge(sys.stdin.buffer, sys.stdout.buffer, link, schema).serve()
    sys.stdout.flush()
    return 0


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _meta(message: Message) -> Message:
    meta = _params(message).get("_meta")
    return meta if isinstance(meta, dict) else {}


def _modern_version(message: Message) -> str | None:
    """The version that the request itself names; only the newer era does that."""
    version = _meta(message).get(META_VERSION)
    return version if isinstance(version, str) else None


def _name_of(message: Message) -> str | None:
    """What the `Mcp-Name` header repeats."""
    key = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(message["method"])
    name = _params(message).get(key) if key else None
    return name if isinstance(name, str) else None


def _client_name(info: Any) -> str | None:
    """The client's own name, cut to what a journal shows."""
    name = info.get("name") if isinstance(info, dict) else None
    return name.strip()[:100] or None if isinstance(name, str) else None
