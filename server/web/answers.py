"""Plain ASGI answers for the parts that stand before Starlette."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import Scope, Send

from server.jsonrpc import error_message
from server.wire import compact

Header = tuple[bytes, bytes]


def header_values(scope: Scope, name: bytes) -> list[str]:
    """All values of a header, in the order sent. `name` in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def error_body(code: str, message: str) -> bytes:
    """The envelope of a refusal, as compact JSON."""
    return compact({"ok": False, "error": {"code": code, "message": message}})


def rpc_error(code: int, message: str, request_id: str | int | None = None) -> bytes:
    """A JSON-RPC error message, as compact JSON."""
    return compact(error_message(request_id, code, message))


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
