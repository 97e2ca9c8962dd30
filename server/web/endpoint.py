"""The checks in front of one MCP endpoint: token, method, message, scopes and grant, in this order."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from server.jsonrpc import BadMessageError, read_message, write_message
from server.memory.ports import StoreError
from server.oauth import challenge
from server.oauth.grants import Grant, GrantBook
from server.oauth.opaque import STATIC_PREFIX
from server.oauth.site import Site
from server.oauth.tokens import AccessToken, TokenError, TokenVerifier
from server.stages import DATABASE, Stages, State
from server.toolsets.base import Caller, Toolset
from server.web.answers import error_body, header_values, rpc_error, send_json
from server.web.guards import replay

CALL_KEY = "ownsona.call"  # in the ASGI scope: the Call that belongs to a tools/call
STAGE_WAIT = 30.0  # seconds that a tool call waits for database and model together
STORE_HINT = "The database does not answer. `ownsona status` shows its state."


@dataclass(frozen=True, slots=True)
class Call:
    """What the checks found out about a tool call."""

    caller: Caller | None
    deadline: float  # monotonic seconds; stages that are not up by then count as unavailable
    unavailable: str | None = None  # why the database cannot be asked, in a sentence


@dataclass(frozen=True, slots=True)
class Access:
    """What all endpoints of a server share."""

    site: Site
    verifier: TokenVerifier
    grants: GrantBook
    stages: Stages


async def check_token(access: Access, token: str, paths: Collection[str]) -> AccessToken:
    """What a token says that is good for one of these endpoints. A static one waits for the database. Raises TokenError, StoreError."""
    if token.startswith(STATIC_PREFIX):
        stage = await access.stages.settled(DATABASE, time.monotonic() + STAGE_WAIT)
        if stage.state is not State.READY:
            raise StoreError(STORE_HINT)
        found = await anyio.to_thread.run_sync(access.grants.static_token, token, paths)
        if found is None:
            raise TokenError("The token was revoked, or is for another address.")
        return found
    audiences = frozenset().union(*(access.site.audiences(path) for path in paths))
    # In a thread, because a key that is not known yet is looked for in the database.
    return await anyio.to_thread.run_sync(access.verifier.verify, token, audiences)


class RefusedError(Exception):
    """The request ends here with this answer."""

    def __init__(self, refusal: challenge.Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class Endpoint:
    """ASGI: one toolset at one path. Lets through what the protocol library may see."""

    def __init__(self, app: ASGIApp, path: str, toolset: Toolset, access: Access) -> None:
        self._app = app
        self._path = path
        self._access = access
        self._toolset = toolset
        self._all_scopes = frozenset().union(*(tool.scopes for tool in toolset.tools))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = header_values(scope, b"host")[0]
        metadata_url = f"{self._access.site.origin_of(host)}{challenge.METADATA_PATH}{self._path}"
        try:
            token = await self._authenticate(scope, metadata_url)
            if scope["method"] != "POST":
                message = "Only POST is served here: this server opens no event streams and keeps no sessions."
                await send_json(send, 405, error_body("METHOD_NOT_ALLOWED", message), [(b"allow", b"POST")])
                return
            message_in = read_message((await receive())["body"])
            if message_in.get("method") == "tools/call":
                scope[CALL_KEY] = await self._authorize(token, message_in, metadata_url)
        except RefusedError as error:
            headers = [(b"www-authenticate", error.refusal.challenge.encode("latin-1"))]
            await send_json(send, error.refusal.status, error.refusal.body, headers)
        except BadMessageError as error:
            await send_json(send, 400, rpc_error(error.code, error.message, error.request_id))
        except StoreError:
            await send_json(send, 503, error_body("DATABASE_ERROR", STORE_HINT), [(b"retry-after", b"5")])
        else:
            await self._app(scope, replay(write_message(message_in), receive), send)

    async def _authenticate(self, scope: Scope, metadata_url: str) -> AccessToken:
        text = challenge.bearer_token(scope["headers"])
        if text is None:
            raise RefusedError(challenge.missing_token(metadata_url, self._all_scopes))
        try:
            return await check_token(self._access, text, [self._path])
        except TokenError as error:
            raise RefusedError(challenge.bad_token(metadata_url, self._all_scopes, str(error))) from None

    async def _authorize(self, token: AccessToken, message: dict[str, Any], metadata_url: str) -> Call:
        """The grant look, which waits for the database as long as a tool call may."""
        needed = self._needed(message.get("params"))
        if not needed <= token.scopes:
            raise RefusedError(challenge.insufficient_scope(metadata_url, needed))
        deadline = time.monotonic() + STAGE_WAIT
        stage = await self._access.stages.settled(DATABASE, deadline)
        if stage.state is not State.READY:
            return Call(None, deadline, stage.hint or "The database is still starting. Try again in a moment.")
        try:
            grant = await anyio.to_thread.run_sync(self._access.grants.look, token, self._tool(message))
        except StoreError:
            return Call(None, deadline, STORE_HINT)
        return Call(self._caller(grant, needed, metadata_url), deadline)

    def _tool(self, message: dict[str, Any]) -> str:
        """The tool that is called, if it is one of ours: other names are not noted."""
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        return next((tool.name for tool in self._toolset.tools if tool.name == name), "")

    def _needed(self, params: Any) -> frozenset[str]:
        """The scopes of this very call; none for what is no call of a tool, which is refused further on."""
        name = params.get("name") if isinstance(params, dict) else None
        arguments = params.get("arguments") if isinstance(params, dict) else None
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            return frozenset()
        return self._toolset.scopes(name, arguments or {})

    def _caller(self, grant: Grant | None, needed: frozenset[str], metadata_url: str) -> Caller:
        if grant is None:
            raise RefusedError(challenge.bad_token(metadata_url, self._all_scopes, "The access of this client was revoked."))
        if not needed <= grant.scopes:
            raise RefusedError(challenge.insufficient_scope(metadata_url, needed))
        return Caller(grant.owner_id, grant.client)
