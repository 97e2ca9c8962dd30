"""The fault boundary and the replay of bodies, as ASGI."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from server.oauth.site import Site
from server.web.guards import Boundary, Guards, replay

SCOPE: dict[str, Any] = {"type": "http", "headers": []}


async def nothing() -> Message:
    """A connection on which nothing more comes."""
    return {"type": "http.disconnect"}


def drive(app: Any, scope: dict[str, Any]) -> list[Message]:
    """All that the app sends."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, nothing, send))
    return sent


def test_boundary(caplog: pytest.LogCaptureFixture) -> None:
    """An unexpected fault is a plain 500."""

    async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("a text")

    with caplog.at_level(logging.ERROR):
        sent = drive(Boundary(broken), SCOPE)
    assert sent[0]["status"] == 500
    assert b"INTERNAL_ERROR" in sent[1]["body"]
    assert b"a text" not in sent[1]["body"]


def test_boundary_after_the_start() -> None:
    """An answer that has begun is not begun again."""

    async def broken(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    assert [message["type"] for message in drive(Boundary(broken), SCOPE)] == ["http.response.start"]


def test_lifespan_passes() -> None:
    """What is no request is not looked at."""
    seen: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["type"])

    drive(Boundary(Guards(app, Site(7662))), {"type": "lifespan"})
    assert seen == ["lifespan"]


@pytest.mark.parametrize("length", [b"x", b"-1", b"1.5"])
def test_lengths_that_are_none(length: bytes) -> None:
    """A length that is no number is treated as too large."""

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError("not reached")

    headers = [(b"host", b"localhost:7662"), (b"content-length", length)]
    assert drive(Guards(app, Site(7662)), {"type": "http", "headers": headers})[0]["status"] == 413


def test_replay() -> None:
    """The body once, then the connection's own messages."""

    async def read() -> list[str]:
        receive = replay(b"body", nothing)
        return [(await receive())["type"] for _ in range(3)]

    assert asyncio.run(read()) == ["http.request", "http.disconnect", "http.disconnect"]
