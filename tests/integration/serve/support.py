"""The real server of a home as a child process, and calls of its tools over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import psutil

from server import joining
from server.joining import Running
from server.oauth.builtin import ALL_SCOPES, BUILTIN_GRANTS, CLI_CLIENT, OWNER_ID
from server.oauth.keys import SigningKey
from server.oauth.tokens import TokenRequest, mint
from server.paths import Home
from tests.programs import Program, environment, program
from tests.web_support import Answer, fetch, rpc_headers


def serve(home: Home, *options: str, **env: str) -> AbstractContextManager[Program]:
    """The real `ownsona serve`."""
    return program("-m", "server.cli", "serve", "--home", str(home.state.parent), *options, env=environment(**env))


def announced(home: Home) -> Running:
    """What `runtime.json` says, which must be there."""
    running = joining.announced(home)
    assert running is not None
    return running


def access_token(signer: Home, issuer: str, audience: str, scopes: Sequence[str] = ALL_SCOPES) -> str:
    """A token of the command line, signed with a home's key."""
    return mint(SigningKey.of(signer), TokenRequest(issuer, audience, str(OWNER_ID), CLI_CLIENT, BUILTIN_GRANTS[CLI_CLIENT], scopes))


def post(home: Home, method: str, path: str = "/mcp", token: str | None = None, **params: Any) -> Answer:
    """A request of the handshake era, with a token of the home for this endpoint unless another is given."""
    running = announced(home)
    token = token or access_token(home, running.issuer, f"http://127.0.0.1:{running.port}{path}")
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return fetch(running.port, "POST", path, rpc_headers(token), json.dumps(message).encode())


def payload_of(answer: Answer) -> dict[str, Any]:
    """The payload of a tool call's answer."""
    payload: dict[str, Any] = answer.json["result"]["structuredContent"]
    return payload


def call(home: Home, tool: str, **arguments: Any) -> dict[str, Any]:
    """The payload of a tool call."""
    return payload_of(post(home, "tools/call", name=tool, arguments=arguments))


def family(server: Program) -> list[psutil.Process]:
    """The server and all that it has started, the reaper included."""
    process = psutil.Process(server.process.pid)
    return [process, *process.children(recursive=True)]


def gone(processes: list[psutil.Process]) -> bool:
    """Whether none of them runs any more."""
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)
