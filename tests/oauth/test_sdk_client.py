"""The MCP SDK's own client finds its way: discovery, registration, consent, tokens, a tool call, and a refresh."""

from __future__ import annotations

from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.oauth.support import LOOPBACK, Browser, location, query, read_page
from tests.web_support import Probe


class Storage:
    """Implements mcp.client.auth.TokenStorage in memory."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """What was kept."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep them."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What was kept."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep it."""
        self.client = client_info


class Person:
    """Opens the page that the client asks for, and allows it."""

    def __init__(self, probe: Probe, host: str) -> None:
        self._browser = Browser(probe, host)
        self._answer: dict[str, str] = {}

    async def open(self, address: str) -> None:
        """In the browser."""
        await anyio.to_thread.run_sync(self._allow, address)

    async def result(self) -> AuthorizationCodeResult:
        """What arrives at the client's address."""
        return AuthorizationCodeResult(code=self._answer["code"], state=self._answer["state"], iss=self._answer["iss"])

    def _allow(self, address: str) -> None:
        parts = urlsplit(address)
        self._browser.host = parts.netloc
        page = read_page(self._browser, self._browser.get(location(self._browser.get(f"{parts.path}?{parts.query}"))))
        self._answer = query(location(page.send()))


async def use(address: str, person: Person, storage: Storage) -> str:
    """One session with a tool call; the text that comes back."""
    metadata = OAuthClientMetadata.model_validate({"redirect_uris": [LOOPBACK], "client_name": "SDK client"})
    provider = OAuthClientProvider(address, metadata, storage, person.open, person.result)
    async with (
        httpx2.AsyncClient(auth=provider, timeout=20) as http,
        streamable_http_client(address, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        result = await session.call_tool("echo", {"text": "hello"})
        return str(result.structured_content)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_sdk_client(probe: Probe, host: str) -> None:
    """Under both names; a second session uses what was kept, and nobody is asked again."""
    address, storage = f"http://{host}:{probe.port}/mcp", Storage()
    assert "hello" in anyio.run(use, address, Person(probe, host), storage)
    assert storage.tokens is not None
    assert storage.tokens.refresh_token
    nobody = Person(probe, host)
    nobody.open = None  # type: ignore[assignment, method-assign]  # asking would fail
    assert "hello" in anyio.run(use, address, nobody, storage)
