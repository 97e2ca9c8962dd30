"""`/api/v1/export` and `/api/v1/import`: the whole store out as a stream, and records in, a limited number at a time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import closing
from typing import Any, Protocol

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from server.memory.model import Refusal
from server.memory.ports import EmbeddingError, StoreError
from server.transfer.formats.registry import DEFAULT
from server.web.api.routes import api_error, api_ok


class Transfer(Protocol):
    """Memories in and out, as the owner sees them. Everything blocks."""

    def export(self, form: str) -> Generator[bytes]:
        """A file in this format, piece by piece. Raises KeyError for an unknown one, StoreError; both with the first piece."""

    def take(self, body: object) -> Mapping[str, Any]:
        """Import some records; what became of each. Raises Refusal, EmbeddingError, StoreError."""


class TransferApi:
    """The handlers; they stand behind the owner's token."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [Route("/export", self._export), Route("/import", self._import, methods=["POST"])]

    async def _export(self, request: Request) -> Response:
        pieces = self._transfer.export(request.query_params.get("format", DEFAULT))
        try:
            first = await anyio.to_thread.run_sync(next, pieces, b"")
        except KeyError:
            return api_error(400, "INVALID_INPUT", "There is no such export format.")
        except StoreError as error:
            return api_error(503, "DATABASE_ERROR", str(error))
        return StreamingResponse(_stream(first, pieces), media_type="application/json", headers={"cache-control": "no-store"})

    async def _import(self, request: Request) -> Response:
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError):
            return api_error(400, "INVALID_INPUT", "The body must be JSON, and not nested deeply.")
        try:
            done = await anyio.to_thread.run_sync(self._transfer.take, body)
        except Refusal as refusal:
            return api_error(409 if refusal.code == "CONFLICT" else 400, refusal.code, refusal.message)
        except EmbeddingError as error:
            return api_error(503, "EMBEDDING_ERROR", str(error))
        except StoreError as error:
            return api_error(503, "DATABASE_ERROR", str(error))
        return api_ok(done)


async def _stream(first: bytes, pieces: Generator[bytes]) -> AsyncIterator[bytes]:
    """The pieces, each made in a thread. Whoever stops listening sets the database free at once."""
    with closing(pieces):
        piece = first
        while piece:
            yield piece
            piece = await anyio.to_thread.run_sync(next, pieces, b"")
