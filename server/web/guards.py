"""What every request passes first, on every path: the fault boundary, Host, Origin and the size of the body."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.oauth.site import LOCAL_ORIGIN, Site
from server.web.answers import Header, error_body, header_values, send_json

log = logging.getLogger(__name__)

MAX_BODY = 4 * 1024 * 1024  # bytes
WRONG_HOST = "This server does not answer under that host name. Use 127.0.0.1 or localhost."
MAX_ARRIVING = 64 * 1024 * 1024  # of all bodies that are still coming in: their senders are not known yet
BUSY = "Too much is being sent to this server at once. Try again in a moment."
DRAIN_BYTES = 32 * 1024 * 1024  # of a refused request, so that its sender gets the refusal
DRAIN_SECONDS = 2.0
_LOCAL_ORIGIN = re.compile(LOCAL_ORIGIN)


class Boundary:
    """Turns an unexpected exception into a plain 500. The log gets its type and place, never its text or the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:  # the boundary of a request
            log.exception("A request failed unexpectedly.")
            if not started:
                await send_json(send, 500, error_body("INTERNAL_ERROR", "The server failed unexpectedly; its log says where."))


class Guards:
    """Refuses foreign Hosts (DNS rebinding) and Origins (other pages in a browser) and bodies that are too large."""

    def __init__(self, app: ASGIApp, site: Site, browsers: Callable[[str], bool] = lambda _: False, max_body: int = MAX_BODY) -> None:
        self._app = app
        self._browsers = browsers  # whether pages of other programs on this computer may use a path
        self._hosts = site.hosts
        self._origins = site.origins
        self._max_body = max_body
        self._arriving = 0  # bytes, in all requests together

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        hosts = header_values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            await _refuse(receive, send, 421, error_body("WRONG_HOST", WRONG_HOST))
            return
        if not all(self._good_origin(origin.lower(), scope["path"]) for origin in header_values(scope, b"origin")):
            await _refuse(receive, send, 403, error_body("WRONG_ORIGIN", "Requests from other web pages are refused."))
            return
        try:
            body = await self._body(scope, receive)
        except _OverloadedError:
            await _refuse(receive, send, 503, error_body("LIMIT_EXCEEDED", BUSY), [(b"retry-after", b"1")])
            return
        if body is None:
            message = f"The request body is larger than {self._max_body} bytes. Send less at a time."
            await _refuse(receive, send, 413, error_body("LIMIT_EXCEEDED", message))
            return
        await self._app(scope, replay(body, receive), send)

    def _good_origin(self, origin: str, path: str) -> bool:
        return origin in self._origins or (_LOCAL_ORIGIN.fullmatch(origin) is not None and self._browsers(path))

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, or None where it is too large; what is sent beyond the limit is never kept."""
        declared = header_values(scope, b"content-length")
        if any(not length.isdecimal() or int(length) > self._max_body for length in declared):
            return None
        chunks: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return b""
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                self._arriving += len(chunks[-1])
                if size > self._max_body:
                    return None
                if not message.get("more_body", False):
                    return b"".join(chunks)
                if self._arriving > MAX_ARRIVING:
                    raise _OverloadedError
        finally:
            self._arriving -= size


class _OverloadedError(Exception):
    """More is coming in than may be kept."""


async def _refuse(receive: Receive, send: Send, status: int, body: bytes, headers: Iterable[Header] = ()) -> None:
    """Answer before the body was read, and then take some of it: a connection closed on unread bytes may lose the answer."""

    async def keep_open(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    await send_json(keep_open, status, body, [(b"connection", b"close"), *headers])
    taken = 0
    with anyio.move_on_after(DRAIN_SECONDS):
        while taken < DRAIN_BYTES:
            message = await receive()
            taken += len(message.get("body", b""))
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                break
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives this body once and then what the connection says."""
    pending = [body]

    async def next_message() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return next_message
