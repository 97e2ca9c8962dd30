"""A server of the real web side and runtime in this process, on a free loopback port, over the probe toolset."""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.joining import Running, announce
from server.listening import listen
from server.oauth.builtin import ALL_SCOPES, BUILTIN_GRANTS, CLI_CLIENT
from server.oauth.keys import SigningKey
from server.oauth.site import Site
from server.oauth.tokens import TokenRequest, mint
from server.paths import Home
from server.runtime import Place, Runtime
from server.secrets_store import owner_token
from server.settings import Settings
from tests.probe_server import ProbeParts

PATIENCE = 20.0  # seconds that a test waits before it fails


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back over HTTP."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key.lower() == name]


def rpc_headers(token: str) -> dict[str, str]:
    """What every JSON-RPC request of a client carries."""
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json"}


def fetch(port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> Answer:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


class Probe:
    """A running server with handles on what is behind it."""

    def __init__(self, home: Home, *, permanent: bool = True, parts: ProbeParts | None = None, public_url: str | None = None) -> None:
        home.create()
        port, sockets = listen(0)
        self.home = home
        self.port = port
        self.site = Site.at(port, public_url)
        self.parts = parts or ProbeParts(home, Settings.read({}))
        self.running = Running(port, 1, secrets.token_hex(16), time.time(), self.site.issuer)
        announce(home, self.running)
        self.sockets = sockets
        self.ready = threading.Event()
        self.runtime = Runtime(Place(home, self.site, sockets, self.running), self.parts, permanent=permanent, ready=self.ready.set)
        self.outcome: list[bool] = []
        self.thread = threading.Thread(target=lambda: self.outcome.append(self.runtime.run()))

    def token(self, path: str = "/mcp", **changes: Any) -> str:
        """An access token for one endpoint."""
        values: dict[str, Any] = {
            "issuer": self.site.issuer,
            "audience": self.site.resource(path),
            "subject": "1",
            "client_id": CLI_CLIENT,
            "grant": BUILTIN_GRANTS[CLI_CLIENT],
            "scopes": ALL_SCOPES,
        }
        return mint(SigningKey.of(self.home), TokenRequest(**{**values, **changes}))

    def post(self, message: Any, path: str = "/mcp", token: str | None = None, **headers: str) -> Answer:
        """One JSON-RPC message, with a good token unless another is given."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        fields = rpc_headers(token or self.token(path)) | {name.replace("_", "-"): value for name, value in headers.items()}
        return fetch(self.port, "POST", path, fields, body)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **options: Any) -> Answer:
        """One tool call of the handshake era."""
        params = {"name": tool, "arguments": dict(arguments or {})}
        return self.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, **options)

    def owner(self, method: str, path: str, token: str | None = None) -> Answer:
        """One call of the local API."""
        return fetch(self.port, method, f"/api/v1{path}", {"Authorization": f"Bearer {token or owner_token(self.home)}"})


@contextmanager
def serving(folder: Path, **options: Any) -> Iterator[Probe]:
    """A probe from its start to its orderly end."""
    probe = Probe(Home.at(folder), **options)
    probe.thread.start()
    try:
        yield probe
    finally:
        probe.runtime.request_stop()
        probe.parts.toolset.release.set()
        probe.thread.join(PATIENCE)
        for listening in probe.sockets:
            listening.close()
        assert not probe.thread.is_alive()
