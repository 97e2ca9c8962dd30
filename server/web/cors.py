"""Cross-origin access for browser-based clients on this computer: only where a token or nothing at all is at stake."""

from __future__ import annotations

from collections.abc import Collection

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from server.oauth.site import LOCAL_ORIGIN, Site

OAUTH_PATHS = frozenset({"/oauth/register", "/oauth/token", "/oauth/revoke", "/oauth/jwks"})
REQUEST_HEADERS = [
    "accept", "authorization", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id",
]  # fmt: skip
EXPOSED_HEADERS = ["WWW-Authenticate", "Mcp-Session-Id", "MCP-Protocol-Version", "Retry-After"]


def serves_browsers(path: str, endpoints: Collection[str]) -> bool:
    """Whether programs in a browser may use this path: discovery, tokens, MCP. Never the consent page, whose cookie is at stake."""
    return path in OAUTH_PATHS or path in endpoints or path.startswith("/.well-known/")


class Cors:
    """ASGI: answers preflights without a token, and marks answers as readable. The guards have refused foreign origins before."""

    def __init__(self, app: ASGIApp, site: Site, endpoints: Collection[str]) -> None:
        self._plain = app
        self._endpoints = endpoints
        self._open = CORSMiddleware(
            app,
            allow_origins=sorted(site.origins),
            allow_origin_regex=LOCAL_ORIGIN,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=REQUEST_HEADERS,
            expose_headers=EXPOSED_HEADERS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        open_here = scope["type"] == "http" and serves_browsers(scope["path"], self._endpoints)
        await (self._open if open_here else self._plain)(scope, receive, send)
