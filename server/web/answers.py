"""Plain ASGI answers for the parts that stand before Starlette."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Scope, Send

Header = tuple[bytes, bytes]


def header_values(scope: Scope, name: bytes) -> list[str]:
    """All values of a header, in the order sent. `name` in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def error_body(code: str, message: str) -> bytes:
    """The envelope of a refusal, as compact JSON."""
    return json.dumps({"ok": False, "error": {"code": code, "message": message}}, ensure_ascii=False, separators=(",", ":")).encode()


def rpc_error(code: int, message: str, request_id: Any = None) -> bytes:
    """A JSON-RPC error message, as compact JSON."""
    body = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


async def send_json(send: Send, status: int, body: bytes, headers: Iterable[Header] = ()) -> None:
    """One whole JSON answer that no cache keeps."""
    fixed: list[Header] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})
