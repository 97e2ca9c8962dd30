"""`/api/v1`: for the owner's own programs (tray, bridge, command line), by the owner's token."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server.joining import proof
from server.memory.ports import StoreError
from server.oauth.challenge import bearer_token
from server.web.answers import error_body, send_json
from server.web.transfer_api import Transfer, TransferApi

MAX_PAGE = 500


class Control(Protocol):
    """What the API may ask of the running server."""

    def describe(self) -> dict[str, Any]:
        """State for `ownsona status`: no secrets, no texts."""

    def request_stop(self) -> None:
        """Begin an orderly stop; returns at once."""

    def lease_taken(self) -> None:
        """Somebody needs the server."""

    def lease_released(self) -> None:
        """One of them is gone."""

    async def stopping(self) -> None:
        """Returns when the stop begins."""


class UndoRefusedError(Exception):
    """The change cannot be undone now; the message says which entry is in the way."""


class Journal(Protocol):
    """The journal as the owner sees it. Both methods block and may raise StoreError."""

    def entries(self, limit: int, before: int | None) -> Sequence[Mapping[str, Any]]:
        """Entries as JSON objects, newest first, older than the id `before`."""

    def undo(self, entry_id: int) -> Mapping[str, Any]:
        """Undo one entry; what changed, as a JSON object. Raises LookupError where there is none, UndoRefusedError."""


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

    def __init__(self, control: Control, journal: Journal, transfer: Transfer, secret: str, port: int, more: Sequence[Route] = ()) -> None:
        self._control = control
        self._journal = journal
        self._transfer = TransferApi(transfer)
        self._secret = secret
        self._port = port
        self._more = more  # routes of other rooms

    def routes(self) -> list[Route]:
        """Routes below `/api/v1` that need the owner's token."""
        return [
            Route("/status", self._status),
            Route("/stop", self._stop, methods=["POST"]),
            Route("/lease", Lease(self._control)),
            Route("/journal", self._entries),
            Route("/journal/{entry}/undo", self._undo, methods=["POST"]),
            *self._transfer.routes(),
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
        return api_ok({"proof": proof(self._secret, nonce, self._port)})

    async def _status(self, _request: Request) -> Response:
        return api_ok(self._control.describe())

    async def _stop(self, _request: Request) -> Response:
        self._control.request_stop()
        return api_ok({}, status=202)

    async def _entries(self, request: Request) -> Response:
        limit, before = request.query_params.get("limit", "50"), request.query_params.get("before")
        if not _is_id(limit) or not 1 <= int(limit) <= MAX_PAGE:
            return api_error(400, "INVALID_INPUT", f"limit must be a whole number from 1 to {MAX_PAGE}.")
        if before is not None and not _is_id(before):
            return api_error(400, "INVALID_INPUT", "before must be the id of a journal entry.")
        try:
            entries = await anyio.to_thread.run_sync(self._journal.entries, int(limit), int(before) if before else None)
        except StoreError as error:
            return api_error(503, "DATABASE_ERROR", str(error))
        return api_ok({"entries": [dict(entry) for entry in entries]})

    async def _undo(self, request: Request) -> Response:
        entry = request.path_params["entry"]
        if not _is_id(entry):
            return api_error(404, "NOT_FOUND", "There is no such journal entry.")
        try:
            changed = await anyio.to_thread.run_sync(self._journal.undo, int(entry))
        except LookupError:
            return api_error(404, "NOT_FOUND", "There is no such journal entry.")
        except UndoRefusedError as error:
            return api_error(409, "CONFLICT", str(error))
        except StoreError as error:
            return api_error(503, "DATABASE_ERROR", str(error))
        return api_ok(dict(changed))


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def api_ok(payload: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer that no cache keeps."""
    return JSONResponse({"ok": True, **payload}, status_code=status, headers={"cache-control": "no-store"})


def api_error(status: int, code: str, message: str) -> Response:
    """A refusal in the envelope of the API."""
    return Response(error_body(code, message), status, {"cache-control": "no-store"}, "application/json")
