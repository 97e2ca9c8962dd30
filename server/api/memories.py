"""Memories, scopes, edits, and what stands beside the list."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, model_validator

from server.api.base import MAX_ROWS, ActorKind, Answer, Fraction, Id, Ids, Keep, Mode, Moment, Request, Text


class Scope(Request):
    """Which memories are meant: these, or all that match a query."""

    ids: Ids | None = None
    query: Text | None = None
    mode: Mode = "words"

    @model_validator(mode="after")
    def _one(self) -> Scope:
        if (self.ids is None) == (self.query is None):
            raise ValueError("must have either ids or query")
        return self


class Done(Answer):
    """What a write did. `journal_id` is what undo takes; None where nothing was changed. `skipped` are locked or could not change."""

    journal_id: int | None = None
    count: int = 0
    ids: tuple[int, ...] = ()  # the first DONE_IDS
    skipped: int = 0
    skipped_reason: str | None = None


class MemoryRow(Answer):
    """One memory. `version` names this very state of it."""

    id: int
    uuid: UUID
    version: int
    namespace: str
    text: str
    tags: tuple[str, ...]
    importance: float
    created_at: Moment
    updated_at: Moment
    last_confirmed_at: Moment | None
    expires_at: Moment | None
    deleted_at: Moment | None
    deleted_by: ActorKind | None
    forget_reason: str | None
    replaced_by_id: int | None
    keep: Keep
    salience: float
    use_count: int
    last_used_at: Moment | None
    source_provider: str | None
    source_client: str | None
    session_id: str | None
    capture_mode: str | None


class Found(Answer):
    """All ids that a query means, in order. With a `problem` in the query there are none."""

    ids: tuple[int, ...] = ()
    count: int = 0
    problem: str | None = None


class Rows(Answer):
    """Rows in the order asked for; unknown ids are left out."""

    rows: tuple[MemoryRow, ...]


class RowsWanted(Request):
    """A page of ids."""

    ids: Annotated[tuple[Id, ...], Field(max_length=MAX_ROWS)]


class NewMemory(Request):
    """A memory that the person writes."""

    text: Text
    tags: tuple[Text, ...] = ()
    importance: Fraction = 0.5
    expires_at: Moment | None = None


class Changes(Request):
    """What is to change; a field that is not given stays as it is. `expires_at` null means: never."""

    text: Text | None = None
    add_tags: tuple[Text, ...] = ()
    remove_tags: tuple[Text, ...] = ()
    importance: Fraction | None = None
    expires_at: Moment | None = None
    keep: Keep | None = None


class Edit(Request):
    """Changes of memories. A new text goes with one id and the version that it was made from."""

    scope: Scope
    changes: Changes
    version: int | None = None

    @model_validator(mode="after")
    def _one_text(self) -> Edit:
        if self.changes.text is not None and (self.scope.ids is None or len(self.scope.ids) != 1 or self.version is None):
            raise ValueError("must name one id and its version where the text changes")
        return self


class Conflicting(Answer):
    """Body of a 409 of PATCH /memories: the memory as it is now, beside what was sent; `base_version` is what the edit started from."""

    current: MemoryRow
    base_version: int
    sent: dict[str, Any]


class Chosen(Request):
    """Memories that something is done with."""

    scope: Scope
    reason: Annotated[Text, Field(max_length=1024)] | None = None


class Replace(Request):
    """Find and replace in texts or tags."""

    scope: Scope
    find: Annotated[Text, Field(min_length=1, max_length=1000)]
    replace: Annotated[Text, Field(max_length=10_000)] = ""
    regex: bool = False
    case: bool = False
    field: Literal["text", "tags"] = "text"
    dry_run: bool = False


class Sample(Answer):
    """One memory before and after a replacement; of tags one to a line."""

    id: int
    before: str
    after: str


class Replacement(Answer):
    """What find and replace changes, or would change."""

    count: int
    samples: tuple[Sample, ...] = ()
    done: Done | None = None  # None for a dry run


class SimilarRow(Answer):
    """A memory that is like another one."""

    row: MemoryRow
    similarity: float
    differing_words: tuple[str, ...]


class Similars(Answer):
    """Memories like one, best first."""

    similar: tuple[SimilarRow, ...]


class Count(Answer):
    """How many live memories have this value; None where they have none."""

    name: str | None
    count: int


class SavedSearch(Answer):
    """A query that the person has given a name."""

    id: int
    name: str
    query: str


class NewSearch(Request):
    """A query to be kept; a name that is there already gets the new query."""

    name: Annotated[Text, Field(min_length=1, max_length=100)]
    query: Annotated[Text, Field(max_length=4000)]


class Sidebar(Answer):
    """What the window lists beside the table. Tags and providers with the most memories first, sessions newest first."""

    tags: tuple[Count, ...]
    providers: tuple[Count, ...]
    clients: tuple[Count, ...]
    sessions: tuple[Count, ...]
    saved: tuple[SavedSearch, ...]
    trash: int
    archived: int
    expired: int
    locked: int
    untagged: int
