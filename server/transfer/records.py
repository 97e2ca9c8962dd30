"""Records of files as the server takes them: every field checked as the tools check theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field, PlainValidator

from server.memory.importing import Importing
from server.memory.model import (
    DEFAULT_NAMESPACE,
    MAX_ID,
    MAX_NAME_CHARS,
    MAX_REASON_CHARS,
    ActorKind,
    CaptureMode,
    InvalidInput,
    Keep,
    Record,
)
from server.toolsets.parameters import Fraction, Parameters, Timestamp, parse, whole

MAX_COUNT = 2**31 - 1
NOT_READ = frozenset({"context_count", "score"})  # known, but made again or meaningless here


def _uuid(value: object) -> UUID:
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("must be a UUID") from None


FileId: TypeAlias = Annotated[int, Field(ge=1, le=MAX_ID), BeforeValidator(whole)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=MAX_COUNT), BeforeValidator(whole)]
Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class RecordFields(Parameters):
    """One record. What it does not name keeps the default of a new memory."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    text: str
    id: FileId | None = None
    uuid: Annotated[UUID, PlainValidator(_uuid)] | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    last_confirmed_at: Timestamp | None = None
    expires_at: Timestamp | None = None
    tags: list[str] | None = None
    tags_given: list[str] | None = None
    importance: Fraction = 0.5
    salience: Annotated[float, Field(ge=0, le=3, allow_inf_nan=False)] | None = None
    use_count: Count = 0
    reward_sum: Finite = 0.0
    last_used_at: Timestamp | None = None
    keep: Keep = "U"
    source_provider: str | None = None
    source_client: str | None = None
    session_id: Annotated[str | None, Field(max_length=MAX_NAME_CHARS)] = None
    capture_mode: CaptureMode | None = None
    namespace: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)] = DEFAULT_NAMESPACE
    metadata: dict[str, Any] = Field(default_factory=dict)
    deleted_at: Timestamp | None = None
    deleted_by: ActorKind | None = None
    forget_reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARS)] = None
    replaced_by_id: FileId | None = None


KNOWN_FIELDS = frozenset(RecordFields.model_fields) | NOT_READ


def check_record(domain: Importing, raw: object) -> Record:
    """A record as the domain takes it. Raises InvalidInput, SecretRejected."""
    try:
        given = parse(RecordFields, raw)
    except RecursionError:
        raise InvalidInput("The record is nested too deeply.") from None
    _check_numbers(given.metadata)
    fields = {name: getattr(given, name) for name in RecordFields.model_fields if name not in ("text", "tags", "tags_given")}
    # A memory that nobody has confirmed yet says so with null; where nothing is said, it was true when it was made.
    if not isinstance(raw, Mapping) or "last_confirmed_at" not in raw:
        del fields["last_confirmed_at"]
    tags = given.tags if given.tags is not None else given.tags_given or []
    return domain.record(given.text, tags, given.tags_given, **fields)


def unknown_fields(raw: Mapping[str, Any]) -> int:
    """How many fields of a record there is no place for."""
    return sum(name not in KNOWN_FIELDS for name in raw)


def _check_numbers(value: object) -> None:
    """JSON can write numbers that no float holds; the database refuses what they become."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise InvalidInput("metadata holds a number that is too large.")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_numbers(inner)
