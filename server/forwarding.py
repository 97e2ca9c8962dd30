"""The bridge's way to the server: find or start it, hold a lease, mint tokens, send requests.

At import the standard library and platformdirs only.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.endpoints import PATHS
from server.joining import Running, connect, find, lease
from server.jsonrpc import INTERNAL_ERROR, error_message
from server.oauth.builtin import ALL_SCOPES, BUILTIN_GRANTS, OWNER_ID, STDIO_CLIENT
from server.paths import Home
from server.wire import compact

START = 30.0  # seconds for a server to answer after it was started
POLL = 0.05  # seconds between looks at a server that is starting
MINT_AHEAD = 300.0  # seconds before its end that a token is replaced
PLAIN = re.compile(r"[\x20-\x7e]*")

Message = dict[str, Any]
Token = tuple[str, float]  # text, and when a new one is due (monotonic seconds)


class ServerUnavailableError(Exception):
    """No server could be reached or started; the message says what to do."""


class CallLostError(Exception):
    """The server went away while it worked on a request that must not simply be sent again."""


@dataclass(frozen=True, slots=True)
class Route:
    """How one request is sent."""

    version: str
    name: str | None  # for the Mcp-Name header
    client: str | None  # as the journal shall show it
    repeatable: bool  # may be sent again when the answer got lost
    modern: bool = False


@dataclass(slots=True)
class Pending:
    """A request under way."""

    connection: http.client.HTTPConnection | None = None
    gone: threading.Event = field(default_factory=threading.Event)  # set when it is cancelled


@dataclass(slots=True)
class Link:
    """The connection of one bridge to the server of its home. Safe to use from many threads."""

    home: Home
    toolset: str
    command: list[str] | None = None
    _running: Running | None = None
    _join_lock: threading.Lock = field(default_factory=threading.Lock)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _tokens: dict[tuple[Running, str | None], Token] = field(default_factory=dict)
    _pending: dict[str | int, Pending] = field(default_factory=dict)

    def warm_up(self) -> None:
        """Begin to find or start the server, in the background. What goes wrong is told to the first request."""

        def join() -> None:
            with contextlib.suppress(ServerUnavailableError):
                self.server()

        threading.Thread(target=join, name="warm up", daemon=True).start()

    def expect(self, request_id: str | int) -> Pending:
        """A request is about to be forwarded, so from now on it can be cancelled."""
        pending = Pending()
        with self._lock:
            self._pending[request_id] = pending
        return pending

    def cancel(self, request_id: Any) -> None:
        """Give up a request; there will be no answer to it."""
        with self._lock:
            pending = self._pending.get(request_id) if isinstance(request_id, str | int) else None
            if pending is None:
                return
            pending.gone.set()
            connection = pending.connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):  # it ended in this moment
                connection.sock.shutdown(socket.SHUT_RDWR)

    def forward(self, message: Message, route: Route, pending: Pending) -> Message | None:
        """The server's answer, or None where the request was cancelled. Raises ServerUnavailableError, CallLostError."""
        try:
            return self._attempts(message, route, pending)
        finally:
            with self._lock:
                if self._pending.get(message["id"]) is pending:  # else the client has used the id again
                    del self._pending[message["id"]]

    def _attempts(self, message: Message, route: Route, pending: Pending) -> Message | None:
        renewed = False
        for last in (False, True):
            if pending.gone.is_set():
                return None
            running = self.server()
            try:
                status, body = self._post(running, message, route, pending)
            except (OSError, http.client.HTTPException) as error:
                if pending.gone.is_set():
                    return None
                self._forget(running)
                if last or not (route.repeatable or isinstance(error, ConnectionRefusedError)):
                    raise CallLostError(
                        "The server stopped while it worked on this. The change may or may not have been stored; look before you try again."
                    ) from None
                continue
            if status == 401 and not renewed and not last:
                renewed = True
                self._drop_tokens(running)
                continue
            return None if pending.gone.is_set() else _answer(message["id"], status, body)
        raise ServerUnavailableError("The server refused this program's token. Run `ownsona doctor`.")

    def _post(self, running: Running, message: Message, route: Route, pending: Pending) -> tuple[int, bytes]:
        headers = {
            "Authorization": f"Bearer {self._token(running, route.client)}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": route.version,
        }
        if route.modern:
            headers["Mcp-Method"] = header_text(message["method"])
            if route.name is not None:
                headers["Mcp-Name"] = header_text(route.name)
        connection = connect(running)
        with contextlib.closing(connection):
            connection.connect()
            with self._lock:
                pending.connection = connection
            connection.request("POST", PATHS[self.toolset], compact(message), headers)
            response = connection.getresponse()
            return response.status, response.read()

    def _token(self, running: Running, client: str | None) -> str:
        with self._lock:
            known = self._tokens.get((running, client))
        if known and known[1] > time.monotonic():
            return known[0]
        # Not at the top: the cryptography behind it would delay the first answer.
        from server.oauth.keys import KeyFileError, SigningKey
        from server.oauth.tokens import LIFETIME, TokenRequest, mint

        audience = f"{running.origin}{PATHS[self.toolset]}"
        grant = BUILTIN_GRANTS[STDIO_CLIENT]
        try:
            key = SigningKey.of(self.home)
        except (KeyFileError, OSError) as error:
            raise ServerUnavailableError(str(error)) from None
        token = mint(key, TokenRequest(running.issuer, audience, str(OWNER_ID), STDIO_CLIENT, grant, ALL_SCOPES, client))
        with self._lock:
            self._tokens[running, client] = (token, time.monotonic() + LIFETIME - MINT_AHEAD)
        return token

    def _drop_tokens(self, running: Running) -> None:
        with self._lock:
            self._tokens = {key: token for key, token in self._tokens.items() if key[0] != running}

    def server(self) -> Running:
        """The server that was joined, or one that is joined now. Raises ServerUnavailableError."""
        with self._join_lock:
            running = self._running
            if running is None:
                running = find(self.home) or self._start()
                self._hold(running)
                self._running = running
            return running

    def _forget(self, running: Running) -> None:
        with self._join_lock:
            if self._running == running:
                self._running = None
        self._drop_tokens(running)

    def _hold(self, running: Running) -> None:
        """Take a lease; when it ends, the server has stopped. Raises ServerUnavailableError."""
        taken = contextlib.ExitStack()
        try:
            response = taken.enter_context(lease(self.home, running))
        except OSError:
            raise ServerUnavailableError("The server stopped in this moment. Try again.") from None

        def wait() -> None:
            with taken, contextlib.suppress(OSError, http.client.HTTPException):
                response.read()
            self._forget(running)

        threading.Thread(target=wait, name="lease", daemon=True).start()

    def _start(self) -> Running:
        try:
            self.home.create()
        except OSError as error:
            raise ServerUnavailableError(self.home.unusable(error)) from None
        log = self.home.logs / "start.log"
        try:
            child = start_detached(self.command or serve_command(), self.home, log)
        except OSError as error:
            raise ServerUnavailableError(f"The server cannot be started: {error.strerror or error}.") from None
        deadline = time.monotonic() + START
        while time.monotonic() < deadline:
            ended = child.poll()
            if (running := find(self.home)) is not None:
                return running
            if ended:
                raise ServerUnavailableError(f"The server cannot start. {_last_line(log)}")
            time.sleep(POLL)
        raise ServerUnavailableError(f"The server does not answer. Look into {self.home.logs}, or run `ownsona doctor`.")


def serve_command(*, frozen: bool = bool(getattr(sys, "frozen", False)), executable: str = sys.executable) -> list[str]:
    """How this program starts a server that ends with its last lease."""
    return [executable, "serve", "--leased"] if frozen else [executable, "-P", "-m", "server.cli", "serve", "--leased"]


def detached_options(platform: str) -> dict[str, Any]:
    """Options for Popen, so that the child outlives its parent and its terminal."""
    if platform == "win32":
        return {"creationflags": 0x00000008 | 0x00000200}  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True}


def start_detached(command: list[str], home: Home, log: Path) -> subprocess.Popen[bytes]:
    """Start a server for `home`. What it says before it has its own log goes to `log` (0600). Raises OSError."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        return subprocess.Popen(
            [*command, *home_option(home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=handle,
            close_fds=True,
            **detached_options(sys.platform),
        )
    finally:
        os.close(handle)


def home_option(home: Home) -> list[str]:
    """`--home DIR` where the home is one folder, nothing where it is the system's usual folders."""
    return ["--home", str(home.state.parent)] if Home.at(home.state.parent) == home else []


def header_text(value: str) -> str:
    """A value as a header can carry it: as it is, or in base64 with the protocol's marks around it."""
    if PLAIN.fullmatch(value) and value == value.strip() and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _answer(request_id: str | int, status: int, body: bytes) -> Message:
    """The JSON-RPC answer in a body; a refusal of the transport as a JSON-RPC error in its own words."""
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    if isinstance(content, dict) and content.get("jsonrpc") == "2.0" and ("result" in content or "error" in content):
        return {**content, "id": request_id}
    error = content.get("error") if isinstance(content, dict) else None
    text = error.get("message") if isinstance(error, dict) else None
    return error_message(request_id, INTERNAL_ERROR, text or f"The server refused with status {status}.")


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "Run `ownsona serve` to see why."
