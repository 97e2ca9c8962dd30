"""From a request to a model, from an answer to JSON, and refusals as sentences: the one way for every route."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from pydantic import ValidationError
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request as WebRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server import api
from server.jobs.registry import JobError
from server.memory.model import NotFound, Refusal
from server.memory.owner.editing import Stale
from server.memory.ports import EmbeddingError, StoreError
from server.web.answers import error_body

RequestT = TypeVar("RequestT", bound=api.Request)
Answering = Callable[..., api.Answer]

NO_STORE = {"cache-control": "no-store"}
STATUSES = {"NOT_FOUND": 404, "CONFLICT": 409, "PROTECTED": 409, "LIMIT_EXCEEDED": 413}
MOST_DIGITS = 30  # of a number in an address that are looked at; MAX_ID has fewer


class _Number(IntegerConvertor):
    """Python refuses to convert texts of thousands of digits; what has so many is too large anyway."""

    def convert(self, value: str) -> int:
        return int(value[:MOST_DIGITS])


register_url_convertor("number", _Number())


class Nothing(api.Request):
    """For routes that take nothing."""


class BadRequestError(Exception):
    """The request is not as it must be; the message says where, and never holds its values."""


def route(method: str, path: str, answering: Answering, takes: type[api.Request] = Nothing) -> Route:
    """A route that calls `answering(given, **path parameters)` in a thread; it may raise the refusals of the domain.

    `takes` is read from the query of a GET or DELETE, else from a JSON body.
    """

    async def endpoint(request: WebRequest) -> Response:
        if any(isinstance(value, int) and value > api.MAX_ID for value in request.path_params.values()):
            return refusal(NotFound("There is nothing with this number."))
        try:
            in_query = method in ("GET", "DELETE")
            given = read_query(takes, request.query_params) if in_query else read_body(takes, await request.body())
            answer = await anyio.to_thread.run_sync(partial(answering, given, **request.path_params), abandon_on_cancel=True)
        except Stale as stale:
            return _stale(stale, given)
        except (BadRequestError, Refusal, EmbeddingError, StoreError, JobError) as error:
            return refusal(error)
        return Response(body_of(answer), 200, NO_STORE, "application/json")

    return Route(path, endpoint, methods=[method])


def body_of(answer: api.Answer) -> bytes:
    """The answer as one JSON object with `ok`."""
    content = answer.model_dump_json(warnings=False).encode()
    return b'{"ok":true' + (b"," if content != b"{}" else b"") + content[1:]


def read_body(model: type[RequestT], body: bytes) -> RequestT:
    """A request out of JSON. Raises BadRequestError."""
    try:
        return model.model_validate_json(body or b"{}")
    except ValidationError as error:
        raise BadRequestError(_sentence(error)) from None


def read_query(model: type[RequestT], values: Mapping[str, str]) -> RequestT:
    """A request out of the query of an address. Raises BadRequestError."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise BadRequestError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"])) or "The request"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place} {message}." if first["type"] == "value_error" else f"{place}: {message}."


def refusal(error: Exception) -> Response:
    """A refusal as the person reads it."""
    status, code = 400, "INVALID_INPUT"
    if isinstance(error, Refusal):
        status, code = STATUSES.get(error.code, 400), error.code
    elif isinstance(error, EmbeddingError):
        status, code = 503, "EMBEDDING_ERROR"
    elif isinstance(error, StoreError):
        status, code = 503, "DATABASE_ERROR"
    elif isinstance(error, JobError):
        status, code = 409, "CONFLICT"
    return api_error(status, code, str(error))


def api_ok(payload: Mapping[str, Any], status: int = 200) -> Response:
    """An answer that has no model."""
    return JSONResponse({"ok": True, **payload}, status, NO_STORE)


def api_error(status: int, code: str, message: str) -> Response:
    """A refusal in the envelope of the API."""
    return Response(error_body(code, message), status, NO_STORE, "application/json")


def _stale(stale: Stale, given: api.Request) -> Response:
    """Both versions: what the memory says by now, and what was sent."""
    sent = given.model_dump(mode="json", exclude_unset=True)
    conflicting = api.Conflicting(
        current=api.MemoryRow.model_validate(stale.current), base_version=sent.get("version") or 0, sent=sent.get("changes", {})
    )
    body: dict[str, Any] = {
        "ok": False,
        "error": {"code": stale.code, "message": stale.message},
        **conflicting.model_dump(mode="json"),
    }
    return Response(json.dumps(body, ensure_ascii=False).encode(), 409, NO_STORE, "application/json")
