"""`/api/v1/oauth`: who has access, requests that wait, static tokens and the login, for the owner's own programs."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.memory.ports import StoreError
from server.oauth.approval import check_code
from server.oauth.login import DEFAULT_USERNAME, LoginRefusedError, hash_password
from server.oauth.opaque import STATIC_PREFIX, new_secret
from server.oauth.owner import OAuthParts
from server.oauth.redirects import destination, is_loopback
from server.oauth.registration import MAX_NAME_CHARS, visible
from server.oauth.resources import Resources
from server.stages import DATABASE, Stages
from server.web.api.routes import api_error, api_ok

Work: TypeAlias = Callable[[Request, Mapping[str, Any]], Response]


STAGE_WAIT = 8.0  # seconds that a request waits for the database; its sender waits ten


class InputError(ValueError):
    """The body is not what is asked for; the message says what is."""


class OAuthApi:
    """The handlers; the owner's token is checked before them."""

    def __init__(self, parts: OAuthParts, resources: Resources, stages: Stages, changed: Callable[[], None]) -> None:
        self._owner = parts.owner
        self._store = parts.store
        self._fixed = parts.fixed_login is not None
        self._resources = resources
        self._stages = stages
        self._changed = changed

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [
            Route("/oauth/clients", self._handler(self._clients)),
            Route("/oauth/clients/{client}", self._handler(self._delete_client), methods=["DELETE"]),
            Route("/oauth/clients/{client}/revoke", self._handler(self._revoke_client), methods=["POST"]),
            Route("/oauth/grants/{grant}/revoke", self._handler(self._revoke_grant), methods=["POST"]),
            Route("/oauth/pending", self._handler(self._pending)),
            Route("/oauth/pending/{request:str}/approve", self._handler(self._approve), methods=["POST"]),
            Route("/oauth/pending/{request:str}/deny", self._handler(self._deny), methods=["POST"]),
            Route("/oauth/tokens", self._handler(self._tokens)),
            Route("/oauth/tokens", self._handler(self._create_token), methods=["POST"]),
            Route("/oauth/login", self._handler(self._login)),
            Route("/oauth/login", self._handler(self._set_login), methods=["POST"]),
        ]

    def _clients(self, _request: Request, _body: Mapping[str, Any]) -> Response:
        return api_ok({"clients": [_plain(client) for client in self._owner.clients()]})

    def _delete_client(self, request: Request, _body: Mapping[str, Any]) -> Response:
        return _done(self._owner.delete_client(request.path_params["client"]))

    def _revoke_client(self, request: Request, _body: Mapping[str, Any]) -> Response:
        return _done(self._owner.revoke_client(request.path_params["client"]))

    def _revoke_grant(self, request: Request, _body: Mapping[str, Any]) -> Response:
        return _done(self._store.revoke_grant(request.path_params["grant"]))

    def _pending(self, _request: Request, _body: Mapping[str, Any]) -> Response:
        def shown(one: Mapping[str, Any]) -> dict[str, Any]:
            uri = one["redirect_uri"]
            code = check_code(bytes.fromhex(one["id"]))
            return {**_plain(one), "destination": destination(uri), "loopback": is_loopback(uri), "check_code": code}

        return api_ok({"pending": [shown(one) for one in self._owner.pending()]})

    def _approve(self, request: Request, body: Mapping[str, Any]) -> Response:
        """With all scopes that were asked for, or those in `scopes`."""
        request_id = request.path_params["request"]
        waiting = next((one for one in self._owner.pending() if one["id"] == request_id), None)
        if waiting is None:
            return _done(False)
        wanted = body.get("scopes", waiting["scopes"])
        granted = [scope for scope in waiting["scopes"] if isinstance(wanted, list) and scope in wanted]
        if not granted:
            raise InputError("scopes must be a list with at least one of those that were asked for.")
        return _done(self._store.decide(bytes.fromhex(request_id), granted))

    def _deny(self, request: Request, _body: Mapping[str, Any]) -> Response:
        try:
            return _done(self._store.decide(bytes.fromhex(request.path_params["request"]), None))
        except ValueError:
            return _done(False)

    def _tokens(self, _request: Request, _body: Mapping[str, Any]) -> Response:
        return api_ok({"tokens": [_plain(token) for token in self._owner.static_tokens()]})

    def _create_token(self, _request: Request, body: Mapping[str, Any]) -> Response:
        """Static tokens: `name`, and perhaps `path` of the endpoint and `scopes`. The answer alone holds the token."""
        name, path = body.get("name"), body.get("path", next(iter(self._resources.scopes)))
        if not isinstance(name, str) or not 1 <= len(visible(name)) <= len(name) <= MAX_NAME_CHARS:
            raise InputError(f"name must be a text of 1 to {MAX_NAME_CHARS} characters.")
        if not isinstance(path, str) or path not in self._resources.scopes:
            raise InputError(f"path must be one of {', '.join(self._resources.scopes)}.")
        known = self._resources.narrow(path, ())
        scopes = body.get("scopes", list(known))
        if not isinstance(scopes, list) or not scopes or not all(scope in known for scope in scopes):
            raise InputError(f"scopes must be a list of one or more of {', '.join(known)}.")
        token = new_secret(STATIC_PREFIX)
        return api_ok({"id": self._owner.add_static_token(visible(name), path, scopes, token), "token": token}, status=201)

    def _login(self, _request: Request, _body: Mapping[str, Any]) -> Response:
        stored = self._store.login()
        return api_ok({"set": self._fixed or stored is not None, "from_environment": self._fixed, "username": stored and stored[0]})

    def _set_login(self, _request: Request, body: Mapping[str, Any]) -> Response:
        username, password = body.get("username", DEFAULT_USERNAME), body.get("password")
        if not isinstance(username, str) or not isinstance(password, str):
            raise InputError("username and password must be texts.")
        self._owner.set_login(username, hash_password(username, password))
        return api_ok({"username": username, "from_environment": self._fixed})

    def _handler(self, work: Work) -> Callable[[Request], Awaitable[Response]]:
        """Waits for the database, reads the body, and runs the work in a thread."""

        async def handle(request: Request) -> Response:
            await self._stages.settled(DATABASE, time.monotonic() + STAGE_WAIT)
            body = await request.body()
            try:
                document = json.loads(body) if body else {}
            except (ValueError, RecursionError):
                document = None
            if not isinstance(document, dict) or "\\u0000" in body.decode("utf-8", "replace"):
                return api_error(400, "INVALID_INPUT", "The body must be a JSON object without null characters.")
            try:
                answer = await anyio.to_thread.run_sync(work, request, document)
            except (InputError, LoginRefusedError) as error:
                return api_error(400, "INVALID_INPUT", str(error))
            except StoreError as error:
                return api_error(503, "DATABASE_ERROR", str(error))
            if request.method != "GET":
                self._changed()
            return answer

        return handle


def _done(found: bool) -> Response:
    return api_ok({}) if found else api_error(404, "NOT_FOUND", "There is no such entry, or it is over.")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}
