"""Strict reading of JSON-RPC bodies, before the protocol library sees them; and errors. Standard library only, for the bridge."""

from __future__ import annotations

import json
import math
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
INVALID_PARAMS = -32602
MAX_DEPTH = 64
MAX_VALUES = 200_000  # in one message: reading millions of empty lists would keep every other client waiting for seconds


class BadMessageError(Exception):
    """The body is not one message; carries the JSON-RPC code, a sentence and the request's id where it is known."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id


def read_message(body: bytes) -> dict[str, Any]:
    """The one JSON object in a body. Raises BadMessageError for all that JSON or the protocol does not allow."""
    try:
        message = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadMessageError(PARSE_ERROR, "The body is not valid JSON in UTF-8, or it is nested too deeply.") from None
    if isinstance(message, list):
        raise BadMessageError(INVALID_REQUEST, "Batches are not part of the protocol: send one message per request.")
    if not isinstance(message, dict):
        raise BadMessageError(INVALID_REQUEST, "The body must be one JSON-RPC message.")
    return _checked(message)


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    """The message itself. An id of another type would make a notification of a request, and its sender would wait for ever."""
    request_id = message.get("id")
    usable = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    known_id = request_id if usable and not (isinstance(request_id, str) and not _encodable(request_id)) else None
    if not _plain(message):
        text = (
            f"A text holds half a surrogate pair, or the message is nested deeper than {MAX_DEPTH} or holds more than {MAX_VALUES} values."
        )
        raise BadMessageError(INVALID_REQUEST, text, known_id)
    if message.get("jsonrpc") != "2.0":
        raise BadMessageError(INVALID_REQUEST, 'jsonrpc must be "2.0".', known_id)
    if "id" in message and not usable and "error" not in message:
        raise BadMessageError(INVALID_REQUEST, "id must be a string or a whole number.")
    if "method" not in message and "result" not in message and "error" not in message:
        raise BadMessageError(INVALID_REQUEST, "method is missing.", known_id)
    if "method" in message and not isinstance(message["method"], str):
        raise BadMessageError(INVALID_REQUEST, "method must be a string.", known_id)
    if not isinstance(message.get("params"), dict | None):
        raise BadMessageError(INVALID_PARAMS, "params must be an object.", known_id)
    return message


def write_message(message: dict[str, Any]) -> bytes:
    """The message as the library shall see it: what was checked and what is acted on are the same, duplicate keys included."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def error_message(request_id: str | int | None, code: int, text: str) -> dict[str, Any]:
    """The answer to a request that failed."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("too large")
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(root: dict[str, Any]) -> bool:
    """No lone surrogates, and no deeper or larger than allowed. A stack instead of recursion: the input is not trusted."""
    stack: list[tuple[Any, int]] = [(root, 1)]
    left = MAX_VALUES
    while stack:
        node, depth = stack.pop()
        if isinstance(node, str):
            if not _encodable(node):
                return False
        elif isinstance(node, dict | list):
            left -= len(node)
            if depth > MAX_DEPTH or left < 0:
                return False
            if isinstance(node, dict):
                stack.extend((key, depth) for key in node)
            stack.extend((value, depth + 1) for value in (node.values() if isinstance(node, dict) else node))
    return True
