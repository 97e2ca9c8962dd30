"""The routes below `/oauth`: a thin Starlette side of server.oauth. JSON for programs, pages for people."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.memory.ports import StoreError
from server.oauth.approval import (
    Approval,
    ForeignPageError,
    GoneError,
    NoScopeError,
    WrongLoginError,
    check_code,
    cookie_name,
    require_own_page,
)
from server.oauth.authority import Authority, RefusedRequestError, Reply
from server.oauth.login import LockedError, Login
from server.oauth.opaque import digest
from server.oauth.records import Pending
from server.oauth.redirects import destination, form_action, is_loopback
from server.oauth.registration import RegistrationError, register
from server.oauth.site import Site
from server.stages import DATABASE, Stages, State
from server.web.forms import MAX_BODY, BadFormError, Parameters, read_form
from server.web.pages import Pages

log = logging.getLogger(__name__)

STAGE_WAIT = 30.0  # seconds that a request waits for the database
COOKIE_SECONDS = 600
POLL_SECONDS = 3
# Requests per minute from one address. Behind a tunnel all have the same one.
RATES = {"register": 60, "token": 300, "page": 240}

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
Work: TypeAlias = Callable[[Request, bytes], Response]
Failure: TypeAlias = Callable[[str, int, Mapping[str, str]], Response]


class OAuthEndpoints:
    """Handlers over the authorization server."""

    def __init__(self, authority: Authority, login: Login, site: Site, stages: Stages, changed: Callable[[], None]) -> None:
        self._authority = authority
        self._approval = Approval(authority, login)
        self._site = site
        self._stages = stages
        self._changed = changed  # called when the person's view of access is out of date
        self._pages = Pages()

    def routes(self) -> list[Route]:
        """All but `/oauth/jwks`, which needs no database."""
        return [
            Route("/oauth/register", self._handler("register", self._register, _json_failure), methods=["POST"]),
            Route("/oauth/token", self._handler("token", self._token, _json_failure), methods=["POST"]),
            Route("/oauth/revoke", self._handler("token", self._revoke, _json_failure), methods=["POST"]),
            Route("/oauth/authorize", self._handler("page", self._authorize, self._page_failure), methods=["GET"]),
            Route("/oauth/consent", self._handler("page", self._show, self._page_failure), methods=["GET"]),
            Route("/oauth/consent", self._handler("page", self._answer, self._page_failure), methods=["POST"]),
        ]

    def _handler(self, kind: str, work: Work, failure: Failure) -> Handler:
        """Waits for the database, counts the request, and runs the work in a thread."""

        def counted(request: Request, body: bytes) -> Response:
            address = request.client.host if request.client else ""
            seconds = self._authority.store.rate(kind, address, RATES[kind])
            return failure("too_many", 429, {"retry-after": str(seconds)}) if seconds else work(request, body)

        async def handle(request: Request) -> Response:
            stage = await self._stages.settled(DATABASE, time.monotonic() + STAGE_WAIT)
            if stage.state is not State.READY:
                return failure("unavailable", 503, {"retry-after": "5"})
            body = await request.body()
            try:
                return await anyio.to_thread.run_sync(counted, request, body)
            except BadFormError:
                return failure("invalid_request", 400, {})
            except StoreError:
                return failure("unavailable", 503, {"retry-after": "5"})

        return handle

    # For programs.

    def _register(self, _request: Request, body: bytes) -> Response:
        try:
            document = json.loads(body) if len(body) <= MAX_BODY else None
        except (ValueError, RecursionError):
            document = None
        try:
            registration = register(document)
        except RegistrationError as error:
            return _json(400, {"error": error.error, "error_description": str(error)})
        self._authority.store.add_client(registration.client)
        log.info("The client %s has registered.", registration.client.client_id)
        self._changed()
        return _json(201, registration.answer)

    def _token(self, request: Request, body: bytes) -> Response:
        parameters = read_form(body, frozenset({"resource"}))
        reply = self._authority.token_reply(parameters, request.headers.get("authorization"))
        log.info("A token request was answered with %s.", reply.body.get("error", "a token"))
        return _reply(reply)

    def _revoke(self, request: Request, body: bytes) -> Response:
        return _reply(self._authority.revocation_reply(read_form(body), request.headers.get("authorization")))

    # For people.

    def _authorize(self, request: Request, _body: bytes) -> Response:
        parameters = read_form(request.scope["query_string"], frozenset({"resource"}))
        try:
            begun = self._approval.begin(parameters)
        except RefusedRequestError as error:
            log.info("An authorization request was refused: %s.", error.error)
            if error.redirect:
                return _redirect(error.redirect, 302)
            known = "invalid_client" if error.error == "invalid_client" else "invalid_request"
            return self._pages.error(known, 400)
        log.info("An authorization request waits for the person.")
        self._changed()
        response = _redirect(f"/oauth/consent?request={begun.request_id}", 302)
        response.set_cookie(
            cookie_name(begun.request_id),
            begun.cookie,
            max_age=COOKIE_SECONDS,
            path="/oauth",
            secure=self._origin(request).startswith("https:"),
            httponly=True,
            samesite="strict",
        )
        return response

    def _show(self, request: Request, _body: bytes) -> Response:
        parameters = read_form(request.scope["query_string"])
        request_id = _first(parameters, "request")
        try:
            address = self._approval.collect(request_id, _cookie(request, request_id))
            if address is not None:
                return self._answered(request_id, address)
            return self._consent(request_id, self._approval.pending(request_id), wait="wait" in parameters)
        except GoneError:
            return self._pages.error("gone", 410)

    def _answer(self, request: Request, body: bytes) -> Response:
        form = read_form(body, frozenset({"scope"}))
        request_id, cookie = _first(form, "request"), _cookie(request, _first(form, "request"))
        scopes, login = form.get("scope", []), (_first(form, "username"), _first(form, "password"))
        try:
            require_own_page(self._origin(request), request.scope["headers"])
            if _first(form, "decision") == "allow":
                address = self._approval.allow(request_id, cookie, scopes, login)
            else:
                address = self._approval.deny(request_id, cookie)
            return self._answered(request_id, address)
        except ForeignPageError:
            return self._pages.error("foreign", 403)
        except GoneError:
            return self._pages.error("gone", 410)
        except NoScopeError:
            return self._again(request_id, form, "no_scope", 400)
        except WrongLoginError:
            return self._again(request_id, form, "wrong_login", 403)
        except LockedError as error:
            return self._again(request_id, form, "locked", 429, error.seconds)

    def _again(self, request_id: str, form: Parameters, message: str, status: int, seconds: int = 0) -> Response:
        """The page once more, with what was typed but the password."""
        log.info("An answer on the consent page was refused: %s.", message)
        values = {"message": message, "seconds": seconds, "ticked": form.get("scope", []), "username": _first(form, "username")}
        pending = self._approval.pending(request_id)
        headers = {"retry-after": str(seconds)} if seconds else {}
        return self._consent(request_id, pending, values, status=status, headers=headers)

    def _consent(
        self,
        request_id: str,
        pending: Pending,
        values: Mapping[str, Any] | None = None,
        *,
        wait: bool = False,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        login_set = self._approval.login.is_set()
        uri = pending.redirect_uri
        fields = {
            "request_id": request_id,
            "name": pending.client_name,
            "destination": destination(uri),
            "kind": "loopback" if is_loopback(uri) else "web" if uri.lower().startswith("https:") else "app",
            "path": pending.path,
            "check_code": check_code(digest(request_id)),
            "scopes": pending.scopes,
            "ticked": pending.scopes,
            "login_set": login_set,
            "username": "",
            "message": "",
            "seconds": 0,
            **(values or {}),
        }
        if login_set and not wait:
            return self._pages.form("consent.html", fields, form_action(uri), status=status, headers=headers)
        # Looks again by itself, without a script. Not while somebody may be typing.
        refresh = {"refresh": f"{POLL_SECONDS}; url=/oauth/consent?request={request_id}{'&wait=1' if login_set else ''}"}
        return self._pages.form("wait.html", fields, form_action(uri), status=status, headers={**refresh, **(headers or {})})

    def _answered(self, request_id: str, address: str) -> Response:
        log.info("An authorization request was answered.")
        self._changed()
        response = _redirect(address, 303)
        response.delete_cookie(cookie_name(request_id), path="/oauth", httponly=True, samesite="strict")
        return response

    def _page_failure(self, error: str, status: int, headers: Mapping[str, str]) -> Response:
        return self._pages.error(error, status, headers)

    def _origin(self, request: Request) -> str:
        return self._site.origin_of(request.headers["host"])


def _first(parameters: Parameters, name: str) -> str:
    return parameters.get(name, [""])[0]


def _cookie(request: Request, request_id: str) -> str:
    return request.cookies.get(cookie_name(request_id), "")


def _redirect(address: str, status: int) -> Response:
    # The address is put together by server.oauth.redirects and escaped there; RedirectResponse would escape it anew.
    headers = {"location": address, "cache-control": "no-store", "referrer-policy": "no-referrer"}
    return Response(status_code=status, headers=headers)


def _json(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse(dict(body), status, {"cache-control": "no-store", "pragma": "no-cache", **(headers or {})})


def _reply(reply: Reply) -> Response:
    return _json(reply.status, reply.body, dict(reply.headers))


def _json_failure(error: str, status: int, headers: Mapping[str, str]) -> Response:
    texts = {
        "invalid_request": "The parameters are not form-encoded, hold control characters, or are given more than once.",
        "too_many": "Too many requests. Wait for the seconds that Retry-After names.",
        "unavailable": "The database is still starting, or does not answer. Try again in a moment.",
    }
    code = "invalid_request" if error == "invalid_request" else "temporarily_unavailable"
    return _json(status, {"error": code, "error_description": texts[error]}, headers)
