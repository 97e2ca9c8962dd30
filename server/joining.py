"""Finding the running server of a home: through `runtime.json` and a challenge, never by asking whoever listens.

Standard library only (and `paths`): the bridge and the quick commands use it before anything heavy is imported.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from server.paths import Home, create_private, write_private

API = "/api/v1"
HOST = "127.0.0.1"
PROOF_TIMEOUT = 2.0  # seconds; a server that is still importing accepts the connection and answers a little later


class LocalApiError(Exception):
    """The running server did not answer as it should; the message is fit for the person."""


@dataclass(frozen=True, slots=True)
class Running:
    """What `runtime.json` says about a server."""

    port: int
    pid: int
    secret: str
    started: float  # seconds since the epoch
    issuer: str  # of its access tokens

    @property
    def url(self) -> str:
        """Where the main endpoint is."""
        return f"http://{HOST}:{self.port}/mcp"


def announce(home: Home, running: Running) -> None:
    """Write `runtime.json` (0600)."""
    write_private(home.runtime_file, json.dumps(asdict(running)))


def withdraw(home: Home, running: Running) -> None:
    """Remove `runtime.json`, if it is still ours."""
    if announced(home) == running:
        home.runtime_file.unlink(missing_ok=True)


def announced(home: Home) -> Running | None:
    """What `runtime.json` says; the server may be long gone. None where there is no usable file."""
    try:
        values = json.loads(home.runtime_file.read_text(encoding="utf-8"))
        return Running(int(values["port"]), int(values["pid"]), str(values["secret"]), float(values["started"]), str(values["issuer"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def find(home: Home, timeout: float = PROOF_TIMEOUT) -> Running | None:
    """The server that runs in this home and has proved it, or None. Creates nothing."""
    running = announced(home)
    return running if running and proves(running, timeout) else None


def proof(secret: str, nonce: str, port: int) -> str:
    """What a server that knows the secret answers to a challenge: HMAC-SHA256 in hexadecimal digits."""
    return hmac.new(secret.encode(), f"{nonce}:{port}".encode(), hashlib.sha256).hexdigest()


def proves(running: Running, timeout: float = PROOF_TIMEOUT) -> bool:
    """Whether the one that listens there knows the secret of `runtime.json`."""
    nonce = secrets.token_hex(32)
    try:
        status, answer = _ask(running.port, "POST", f"{API}/challenge", {}, {"nonce": nonce}, timeout)
    except (OSError, http.client.HTTPException, ValueError):
        return False
    given = answer.get("proof")
    return (
        status == 200
        and isinstance(given, str)
        and hmac.compare_digest(given.encode(), proof(running.secret, nonce, running.port).encode())
    )


def owner_token(home: Home) -> str:
    """The owner's token of a home, made on first use (0600)."""
    path = home.state / "owner-token"
    if not path.exists():
        home.create()
        create_private(path, secrets.token_urlsafe(32))
    return path.read_text(encoding="utf-8").strip()


def ask(
    home: Home, running: Running, method: str, path: str, timeout: float = 10.0, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A call of the local API with the owner's token. Raises LocalApiError."""
    try:
        status, answer = _ask(running.port, method, f"{API}{path}", _owner(home), body, timeout)
    except (OSError, http.client.HTTPException, ValueError):
        raise LocalApiError("The running server does not answer. `ownsona status` shows its state.") from None
    if status >= 400:
        error = answer.get("error")
        raise LocalApiError(str(error.get("message")) if isinstance(error, dict) else f"The running server refused with status {status}.")
    return answer


@contextlib.contextmanager
def lease(home: Home, running: Running) -> Iterator[http.client.HTTPResponse]:
    """Keep the server alive for as long as the block runs. Reading the answer to its end means: until the server stops. Raises OSError."""
    connection = http.client.HTTPConnection(HOST, running.port)
    try:
        connection.request("GET", f"{API}/lease", headers=_owner(home))
        response = connection.getresponse()
        if response.status != 200:
            raise ConnectionError("The running server refused a lease.")
        yield response
    except http.client.HTTPException as error:
        raise ConnectionError("The running server broke off.") from error
    finally:
        connection.close()


def _owner(home: Home) -> dict[str, str]:
    return {"Authorization": f"Bearer {owner_token(home)}"}


def _ask(
    port: int, method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any] | None, timeout: float
) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        content = None if body is None else json.dumps(body).encode()
        connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        answer = json.loads(response.read(1 << 20))
        return response.status, answer if isinstance(answer, dict) else {}
    finally:
        connection.close()
