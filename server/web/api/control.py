"""The owner's token, leases, the challenge, and the server itself: its state and its end."""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from typing import Any, Protocol

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server import api
from server.joining import Running, proof
from server.oauth.challenge import bearer_token
from server.web.answers import error_body, send_json
from server.web.api.events import Events
from server.web.api.routes import Nothing, api_error, api_ok, route


class Control(Protocol):
    """What the API may ask of the running server."""

    def describe(self) -> api.Status:
        """State for the owner's programs: no secrets, no texts. Blocks while it asks the database."""

    def request_stop(self) -> None:
        """Begin an orderly stop; returns at once."""

    def lease_taken(self) -> None:
        """Somebody needs the server."""

    def lease_released(self) -> None:
        """One of them is gone."""

    async def stopping(self) -> None:
        """Returns when the stop begins."""


class OwnerOnly:
    """ASGI: lets through requests with the owner's token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = bearer_token(scope["headers"])
        if token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            await self._app(scope, receive, send)
            return
        code = "AUTH_REQUIRED" if token is None else "AUTH_FAILED"
        message = "This address is for the owner's own programs; they read the token in the state folder."
        await send_json(send, 401, error_body(code, message), [(b"www-authenticate", b'Bearer realm="owner"')])


class Lease:
    """ASGI: an answer that stays open for as long as the caller needs the server."""

    def __init__(self, control: Control) -> None:
        self._control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._control.lease_taken()
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": 200,
                    "headers": [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")],
                }
            )
            await send({"type": "http.response.body", "body": b"leased\n", "more_body": True})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_until, self._control.stopping, tasks.cancel_scope)
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._control.lease_released()


async def _until(event: Any, scope: anyio.CancelScope) -> None:
    await event()
    scope.cancel()


class LocalApi:
    """The handlers behind the owner's token, and the challenge, which needs none."""

    def __init__(self, control: Control, events: Events, more: Sequence[Route], running: Running) -> None:
        self._control = control
        self._events = events
        self._more = more
        self._running = running

    def routes(self) -> list[Route]:
        """Routes below `/api/v1` that need the owner's token."""
        return [
            route("GET", "/status", self._status),
            Route("/stop", self._stop, methods=["POST"]),
            Route("/lease", Lease(self._control)),
            Route("/events", self._events),
            *self._more,
        ]

    async def challenge(self, request: Request) -> Response:
        """Proves that this server knows the secret in the home's `runtime.json`."""
        try:
            nonce = json.loads(await request.body())["nonce"]
        except (ValueError, TypeError, KeyError, RecursionError):
            nonce = None
        if not isinstance(nonce, str) or not nonce.isascii() or not 16 <= len(nonce) <= 128:
            return api_error(400, "INVALID_INPUT", "nonce must be a text of 16 to 128 ASCII characters.")
        return api_ok({"proof": proof(self._running.secret, nonce, self._running.port)})

    def _status(self, _: Nothing) -> api.Status:
        return self._control.describe()

    async def _stop(self, _request: Request) -> Response:
        self._control.request_stop()
        return api_ok({}, status=202)
