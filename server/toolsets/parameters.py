"""Parameters of tools: pydantic models that give the published JSON Schema and plain sentences for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError, WithJsonSchema

from server.memory.model import InvalidInput

_NAIVE = "must be an ISO 8601 timestamp with a time zone, such as 2026-05-17T14:00:00Z"


class Parameters(BaseModel):
    """Base of all parameter models: strict types, no unknown names, and null for an optional one means left out."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def whole(value: object) -> object:
    """A float without a fraction as an int, anything else as it is."""
    # JSON knows one kind of number: 3.0 is a whole one.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _timestamp(value: object) -> datetime:
    if not isinstance(value, str):
        raise ValueError(_NAIVE)
    try:
        moment = datetime.fromisoformat(value.strip())
        if moment.tzinfo is None:
            raise ValueError(_NAIVE)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(_NAIVE) from None


Positive: TypeAlias = Annotated[int, Field(ge=1), BeforeValidator(whole)]
Natural: TypeAlias = Annotated[int, Field(ge=0), BeforeValidator(whole)]
Id: TypeAlias = Annotated[int, BeforeValidator(whole), WithJsonSchema({"type": "integer"})]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Timestamp: TypeAlias = Annotated[datetime, PlainValidator(_timestamp), WithJsonSchema({"type": "string", "format": "date-time"})]


class ItemsOf:
    """Publishes the schema of a batch's items, which are checked one by one so that a bad one does not stop the others."""

    def __init__(self, model: type[Parameters]) -> None:
        self._model = model

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        return schema | {"items": self._model.model_json_schema(mode="validation")}


P = TypeVar("P", bound=Parameters)


def parse(model: type[P], arguments: object) -> P:
    """The checked parameters. Raises InvalidInput, whose sentences name each faulty field and never echo its value."""
    if not isinstance(arguments, Mapping):
        raise InvalidInput("An item must be an object.")
    # The items of a batch are parsed one by one, each by a call of its own.
    per_item = {name for name, field in model.model_fields.items() if any(isinstance(mark, ItemsOf) for mark in field.metadata)}
    check_strings({name: value for name, value in arguments.items() if name not in per_item})
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise InvalidInput(" ".join(_sentence(one) for one in error.errors(include_url=False)[:5])) from None


def check_strings(value: object, path: str = "") -> None:
    """Refuse what no database text can hold, wherever it stands. Raises InvalidInput."""
    if isinstance(value, str):
        if "\0" in value:
            raise InvalidInput(f"{path or 'A name'} must not contain NUL characters.")
        if re.search(r"[\ud800-\udfff]", value):
            raise InvalidInput(f"{path or 'A name'} is not valid Unicode: it contains half of a surrogate pair.")
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            check_strings(name)
            check_strings(inner, f"{path}.{_shown(name)}" if path else _shown(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            check_strings(inner, f"{path}[{number}]")


def _shown(name: str) -> str:
    """A parameter's name as an error may show it: it is the caller's own text."""
    return "".join(char for char in name if char.isprintable())[:40] or "without a name"


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{_shown(part)}" if path else _shown(part)
    return path or "The arguments"


_SENTENCES = {
    "missing": "The {path} field is required.",
    "extra_forbidden": "There is no parameter {path}.",
    "greater_than_equal": "{path} must be at least {ge:g}.",
    "greater_than": "{path} must be greater than {gt:g}.",
    "less_than_equal": "{path} must be at most {le:g}.",
    "literal_error": "{path} must be one of {expected}.",
    "too_short": "{path} must not be empty.",
    "too_long": "{path} may hold at most {max_length}.",
    "string_too_long": "{path} may have at most {max_length} characters.",
    "value_error": "{path} {error}.",
    "string_type": "{path} must be a string.",
    "bool_type": "{path} must be true or false.",
    "int_type": "{path} must be a whole number.",
    "int_from_float": "{path} must be a whole number.",
    "int_parsing_size": "{path} is too large.",
    "float_type": "{path} must be a number.",
    "finite_number": "{path} must be a finite number.",
    "list_type": "{path} must be a list.",
    "model_type": "{path} must be an object.",
}


def _sentence(error: Any) -> str:
    template = _SENTENCES.get(error["type"], "{path} is not valid.")
    return template.format(path=_path(error["loc"]), **error.get("ctx", {}))


def schema_of(model: type[Parameters], limits: Mapping[str, int]) -> dict[str, Any]:
    """The JSON Schema that clients see: flat, without titles, null unions and references.

    A field marked with `json_schema_extra={"settings": {KEYWORD: NAME}}` gets that keyword from the limit of that name.
    """
    schema = model.model_json_schema(mode="validation")
    definitions = schema.pop("$defs", {})
    cleaned: dict[str, Any] = _clean(schema, definitions, limits)
    cleaned.pop("description", None)
    cleaned.setdefault("properties", {})
    return cleaned


def _clean(node: Any, definitions: Mapping[str, Any], limits: Mapping[str, int]) -> Any:
    if isinstance(node, list):
        return [_clean(inner, definitions, limits) for inner in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _clean(
            {**definitions[node["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in node.items() if k != "$ref"}}, definitions, limits
        )
    if "anyOf" in node:
        (kept,) = [one for one in node["anyOf"] if one != {"type": "null"}]
        return _clean({**kept, **{k: v for k, v in node.items() if k != "anyOf"}}, definitions, limits)
    out: dict[str, Any] = {}
    for name, inner in node.items():
        if name == "properties":  # its keys are names of parameters, not words of JSON Schema
            out[name] = {key: _clean(value, definitions, limits) for key, value in inner.items()}
        elif name == "settings":
            out |= {keyword: limits[setting] for keyword, setting in inner.items()}
        elif not (name == "title" or (name == "default" and inner is None)):
            out[name] = _clean(inner, definitions, limits)
    return out
