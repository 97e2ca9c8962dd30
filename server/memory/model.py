"""The words of the domain: a memory, who acts, and what can go wrong."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

DEFAULT_NAMESPACE = "default"
MAX_ID = 2**63 - 1
MAX_NAME_CHARS = 256  # of a session or namespace
MAX_REASON_CHARS = 1024

Keep = Literal["Y", "N", "U"]
ActorKind = Literal["person", "client", "job"]
CaptureMode = Literal["explicit", "inferred"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something: a person in the window, a client through a tool, or a background job."""

    owner_id: int
    kind: ActorKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory that is about to be stored. Its text is trimmed; its tags are normalised already."""

    text: str
    tags: tuple[str, ...] = ()
    tags_given: tuple[str, ...] = ()
    importance: float = 0.5
    source_provider: str | None = None
    source_client: str | None = None
    session_id: str | None = None
    capture_mode: str | None = None
    expires_at: datetime | None = None
    last_confirmed_at: datetime | None = None  # None: now
    namespace: str = DEFAULT_NAMESPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One row as it stands. `version` names this very state of it."""

    owner_id: int
    id: int
    uuid: UUID
    namespace: str
    version: int
    text: str
    tags: list[str]
    tags_given: list[str]
    importance: float
    source_provider: str | None
    source_client: str | None
    session_id: str | None
    capture_mode: str | None
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    last_confirmed_at: datetime | None
    expires_at: datetime | None
    deleted_at: datetime | None
    deleted_by: str | None
    forget_reason: str | None
    replaced_by_id: int | None
    keep: Keep
    salience: float
    use_count: int
    reward_sum: float
    last_used_at: datetime | None
    context_id: int | None
    context_count: int
    relations_extracted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A memory as a file holds it, checked. `id` and `replaced_by_id` are ids of the store that it comes from."""

    text: str
    created_at: datetime
    updated_at: datetime
    last_confirmed_at: datetime | None
    id: int | None = None
    uuid: UUID | None = None
    namespace: str = DEFAULT_NAMESPACE
    tags: tuple[str, ...] = ()
    tags_given: tuple[str, ...] = ()
    importance: float = 0.5
    source_provider: str | None = None
    source_client: str | None = None
    session_id: str | None = None
    capture_mode: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None
    deleted_at: datetime | None = None
    deleted_by: str | None = None
    forget_reason: str | None = None
    replaced_by_id: int | None = None
    keep: Keep = "U"
    salience: float = 0.5
    use_count: int = 0
    reward_sum: float = 0.0
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A row that is the same memory as a record."""

    id: int
    deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories a listing or a count means. All conditions hold together."""

    include_deleted: bool = False  # tombstones and expired ones too
    untagged_only: bool = False
    min_chars: int | None = None
    max_chars: int | None = None
    not_confirmed_since: datetime | None = None
    tags: tuple[str, ...] = ()  # at least one of them
    source_provider: str | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of the whole store; average and ages are of what is not deleted."""

    total: int
    active: int
    soft_deleted: int
    expired: int
    avg_importance: float | None
    oldest_created_at: datetime | None
    newest_created_at: datetime | None
    top_tags: list[tuple[str, int]]
    by_provider: list[tuple[str | None, int]]


@dataclass(frozen=True, slots=True)
class Match:
    """A memory with the raw cosine that found it."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class Relation:
    """One edge of the graph, with the memory that it was read from."""

    subject: str
    predicate: str
    object: str
    source_memory_id: int
    source_text: str


class Refusal(Exception):
    """The domain refuses a request. `code` is the contract's error code; the message never holds a memory's text."""

    code = "INVALID_INPUT"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(Refusal):
    """A value is missing, of the wrong type, or out of range."""


class NotFound(Refusal):
    """There is no such memory, or it is deleted where a live one is needed."""

    code = "NOT_FOUND"


class SecretRejected(Refusal):
    """The text looks like a password or key."""

    code = "SECRET_REJECTED"


class Protected(Refusal):
    """A person has locked this memory."""

    code = "PROTECTED"


class Conflict(Refusal):
    """An undo meets a row that has changed since."""

    code = "CONFLICT"


def not_found(memory_id: int) -> NotFound:
    """The contract's sentence for an unknown id."""
    return NotFound(f"Memory {memory_id} not found.")


def normalize_text(text: str) -> str:
    """The form in which texts are compared for being the same: NFC, lower case, runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def exact_key(text: str) -> bytes:
    """sha256 of the normalised text: 32 bytes."""
    return hashlib.sha256(normalize_text(text).encode()).digest()


def embedding_key(text: str) -> bytes:
    """sha256 of the text to the letter, as its vectors are keyed: 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class Limits:
    """The contract's limits; each can be set by `OWNSONA_` + its name."""

    max_text_chars: int = 16000
    max_batch_size: int = 200
    default_recall_limit: int = 8
    max_recall_limit: int = 50
    graph_max_relations: int = 200
    max_export_rows: int = 100_000


@dataclass(frozen=True, slots=True)
class JournalRow:
    """What one entry did to one row; `before` and `after` hold the changed columns only."""

    table: str
    row_id: int
    version_before: int | None
    version_after: int | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation of the past."""

    id: int
    at: datetime
    actor_kind: str
    actor: str
    tool: str
    undoes: int | None
    rows: list[JournalRow] = field(default_factory=list)
