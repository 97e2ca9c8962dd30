"""The whole web side of a server, as one ASGI app."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from server import __version__
from server.endpoints import TITLE
from server.joining import API
from server.memory.ports import StoreError
from server.oauth import challenge
from server.oauth.keys import PublicKeys
from server.oauth.metadata import SERVER_PATHS, authorization_server, protected_resource
from server.oauth.tokens import TokenError
from server.toolsets.base import Toolset
from server.web.answers import error_body, header_values, send_json
from server.web.api.control import LocalApi, OwnerOnly
from server.web.cors import Cors, serves_browsers
from server.web.endpoint import Access, Endpoint, check_token
from server.web.guards import Boundary, Guards
from server.web.oauth_endpoints import OAuthEndpoints
from server.web.protocol import Protocol

Handler = Callable[[Request], Awaitable[Response]]

OPEN_PREFIXES = ("/.well-known/", "/oauth/", "/healthz")


@dataclass(frozen=True, slots=True)
class WebParts:
    """What the app is made of. `toolsets` maps each endpoint's path to what it serves, the main one first."""

    access: Access
    keys: PublicKeys
    toolsets: Mapping[str, Toolset]
    oauth: OAuthEndpoints
    api: LocalApi
    owner_token: str


def build_app(parts: WebParts) -> ASGIApp:
    """The app with all its guards; run its lifespan."""
    protocols = {path: Protocol(toolset, parts.access.stages) for path, toolset in parts.toolsets.items()}

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for protocol in protocols.values():
                await stack.enter_async_context(protocol.manager.run())
            yield

    routes: list[BaseRoute] = [
        Route("/healthz", _health(parts)),
        Route("/oauth/jwks", _jwks(parts)),
        *parts.oauth.routes(),
        *_metadata_routes(parts),
        Route(f"{API}/challenge", parts.api.challenge, methods=["POST"]),
        Mount(API, app=OwnerOnly(Router(routes=parts.api.routes(), redirect_slashes=False), parts.owner_token)),
    ]
    for path, protocol in protocols.items():
        endpoint = Endpoint(protocol.manager.handle_request, path, parts.toolsets[path], parts.access)
        routes.append(Route(path, endpoint, methods=None))
    app = Starlette(routes=routes, lifespan=lifespan)
    app.router.redirect_slashes = False
    app.router.default = NotFound(parts)
    paths = frozenset(parts.toolsets)
    return Boundary(Guards(Cors(app, parts.access.site, paths), parts.access.site, lambda path: serves_browsers(path, paths)))


class NotFound:
    """ASGI: what no route serves. Only holders of a token learn that there is nothing."""

    def __init__(self, parts: WebParts) -> None:
        self._access = parts.access
        self._owner_token = parts.owner_token
        self._paths = tuple(parts.toolsets)
        self._main = next(iter(parts.toolsets))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # websockets are not served; the server refuses them before this
            return
        refusal = None if scope["path"].startswith(OPEN_PREFIXES) else await self._refusal(scope)
        if refusal is None:
            await send_json(send, 404, error_body("NOT_FOUND", "There is nothing at this address."))
        else:
            await send_json(send, refusal.status, refusal.body, [(b"www-authenticate", refusal.challenge.encode("latin-1"))])

    async def _refusal(self, scope: Scope) -> challenge.Refusal | None:
        token = challenge.bearer_token(scope["headers"])
        host = header_values(scope, b"host")[0]
        metadata_url = f"{self._access.site.origin_of(host)}{challenge.METADATA_PATH}{self._main}"
        if token is None:
            return challenge.missing_token(metadata_url, ())
        try:
            await check_token(self._access, token, self._paths)
        except TokenError as error:
            return challenge.bad_token(metadata_url, (), str(error))
        except StoreError:
            return challenge.bad_token(metadata_url, (), "The access token cannot be checked now.")
        return None


def _metadata_routes(parts: WebParts) -> list[Route]:
    """RFC 9728 at the root form (the main endpoint) and at the path form of each endpoint; RFC 8414 at both forms too."""
    server = _authorization_server(parts)
    routes = [Route(f"{well_known}{path}", server) for well_known in SERVER_PATHS for path in ("", *parts.toolsets)]
    documents = {path: _metadata(parts, path, toolset) for path, toolset in parts.toolsets.items()}
    routes.append(Route(challenge.METADATA_PATH, next(iter(documents.values()))))
    return routes + [Route(f"{challenge.METADATA_PATH}{path}", document) for path, document in documents.items()]


def _metadata(parts: WebParts, path: str, toolset: Toolset) -> Handler:
    scopes = frozenset().union(*(tool.scopes for tool in toolset.tools))

    async def document(request: Request) -> Response:
        body = protected_resource(parts.access.site, request.headers["host"], path, scopes, TITLE)
        return JSONResponse(body, headers={"cache-control": "no-store"})

    return document


def _authorization_server(parts: WebParts) -> Handler:
    body = authorization_server(parts.access.site)

    async def document(_request: Request) -> Response:
        return JSONResponse(body, headers={"cache-control": "no-store"})

    return document


def _jwks(parts: WebParts) -> Handler:
    async def document(_request: Request) -> Response:
        return JSONResponse(parts.keys.document(), headers={"cache-control": "no-store"})

    return document


def _health(parts: WebParts) -> Handler:
    async def document(_request: Request) -> Response:
        stages = parts.access.stages
        body = {"status": stages.status(), "stages": stages.describe(), "version": __version__}
        return JSONResponse(body, headers={"cache-control": "no-store"})

    return document
