"""The words of the local API `/api/v1`, which the owner's own programs speak: requests and answers as frozen models.

It is the one module of `server` that `app` imports, so it needs pydantic alone. Answers take unknown fields without a word, so that a
window may be older than its server; requests refuse them. Moments are ISO 8601 with an offset. Every write answers `Done`.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

MAX_ID = 2**63 - 1
MAX_IDS = 400_000  # of one request
MAX_ROWS = 1000  # of one page
DONE_IDS = 1000  # at most so many are named in `Done`


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    return text


Id: TypeAlias = Annotated[int, Field(ge=1, le=MAX_ID)]
Ids: TypeAlias = Annotated[tuple[Id, ...], Field(max_length=MAX_IDS)]
Text: TypeAlias = Annotated[str, AfterValidator(_storable)]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Moment: TypeAlias = datetime
Keep: TypeAlias = Literal["Y", "N", "U"]
Mode: TypeAlias = Literal["words", "meaning"]
Sort: TypeAlias = Literal["created", "updated", "confirmed", "importance", "salience", "text", "length"]
Order: TypeAlias = Literal["asc", "desc"]
ActorKind: TypeAlias = Literal["person", "client", "job"]


class Request(BaseModel):
    """What a program sends."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(BaseModel):
    """What the server answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", from_attributes=True)


# Memories.


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


# The sidebar.


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


# Recall, explained.


class Explain(Request):
    """A query as an assistant would ask it."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=200)] = 8
    min_score: float | None = None
    tags: tuple[Text, ...] = ()


class Explained(Answer):
    """Why a memory stands where it does: order = cosine x (1 + salience_part + context_part) + lexical_part + support_part."""

    row: MemoryRow
    rank: int
    cosine: float
    lexical: float  # BM25
    lexical_part: float
    salience_part: float
    context_part: float
    support_part: float
    order: float
    dense_rank: int | None
    lexical_rank: int | None
    shown: bool  # whether recall answers it


class Explanation(Answer):
    """Everything that recall has looked at closely, best first, the cut included."""

    matches: tuple[Explained, ...]
    shown: int


class Feedback(Request):
    """How well memories answered a query: from -1 to 1."""

    ids: Ids
    delta: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
    query: Text | None = None


# Duplicates and conflicts.


class Pair(Request):
    """Two memories, in any order."""

    left: Id
    right: Id


class Pairs(Request):
    """Pairs that are decided on."""

    pairs: Annotated[tuple[Pair, ...], Field(min_length=1, max_length=10_000)]


class SimilarPair(Answer):
    """Two members of a group."""

    left: int
    right: int
    similarity: float
    differing_words: tuple[str, ...]


class Group(Answer):
    """Memories that hang together by similar pairs; the proposed keeper with the rule that chose it."""

    key: str
    members: tuple[MemoryRow, ...]
    similarity: float
    pairs: tuple[SimilarPair, ...]
    keeper: int | None
    keeper_reason: str


class Groups(Answer):
    """All groups at a threshold, the most similar first. `checked_at` None: the check is still under way; an event tells its end."""

    groups: tuple[Group, ...]
    checked_at: Moment | None


class MergeFields(Request):
    """What the keeper shall say afterwards; what is not given is united from all members."""

    text: Text | None = None
    tags: tuple[Text, ...] | None = None
    importance: Fraction | None = None
    expires_at: Moment | None = None


class Merge(Request):
    """Make one memory of several."""

    keeper: Id
    others: Annotated[tuple[Id, ...], Field(min_length=1, max_length=1000)]
    fields: MergeFields = MergeFields()


# The journal.


class Change(Answer):
    """What an entry did to one row; only changed columns. None: there was, or is, no such row, or it was erased for good."""

    table: str
    id: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Entry(Answer):
    """One operation. `changes` are the first of `count`."""

    id: int
    at: Moment
    actor_kind: ActorKind
    actor: str
    tool: str
    undoes: int | None
    undone_by: int | None
    count: int
    changes: tuple[Change, ...]


class Entries(Answer):
    """Entries, newest first."""

    entries: tuple[Entry, ...]


class RollbackWanted(Request):
    """Take back all that one actor has done since a moment."""

    actor: Text
    since: Moment
    dry_run: bool = False


class Rollback(Answer):
    """What a rollback takes back: `count` entries. Each conflict is a sentence on an entry that stays."""

    count: int
    conflicts: tuple[str, ...]
    done: Done | None = None


# Overview.


class Relation(Answer):
    """One edge of the graph."""

    subject: str
    predicate: str
    object: str
    source_memory_id: int
    source_text: str


class Graph(Answer):
    """Edges within so many hops of an entity, nearest first."""

    relations: tuple[Relation, ...]


class Names(Answer):
    """Entities whose name holds a text, most connected first."""

    names: tuple[str, ...]


class Day(Answer):
    """Memories that were made on one day (in the server's time zone)."""

    day: date
    count: int


class Bucket(Answer):
    """One bar of a chart."""

    bucket: str
    count: int


class Totals(Answer):
    """Figures of the whole store."""

    total: int
    active: int
    deleted: int
    expired: int
    locked: int
    avg_importance: float | None
    oldest_created_at: Moment | None
    newest_created_at: Moment | None


class Statistics(Answer):
    """What the charts show, of live memories. `freshness` is the time since a memory was last confirmed."""

    growth: tuple[Day, ...]
    tags: tuple[Count, ...]
    providers: tuple[Count, ...]
    freshness: tuple[Bucket, ...]
    lengths: tuple[Bucket, ...]
    totals: Totals


class ReviewRow(Answer):
    """A memory that is worth a look, and why."""

    row: MemoryRow
    reason: Literal["old", "unconfirmed", "expiring"]


class Review(Answer):
    """What to look at, most pressing first."""

    rows: tuple[ReviewRow, ...]


# The server.


class Stage(Answer):
    """A stage of start-up: "starting", "ready" or "failed"; the advice says why it failed and what to do."""

    name: str
    state: str
    seconds: float
    advice: str | None = None


class Status(Answer):
    """The server at a glance. Counts are None while the database does not answer, duplicates also before they were looked for."""

    version: str
    status: str
    address: str
    pid: int
    started: float
    leases: int
    stages: tuple[Stage, ...]
    paused: bool = False
    active: int | None = None
    deleted: int | None = None
    expired: int | None = None
    clients: int | None = None
    duplicates: int | None = None
    approvals: int | None = None
    disk_free: int | None = None  # bytes
    problems: tuple[str, ...] = ()


class Event(Answer):
    """What has changed. `id` is the journal's, None where the journal does not hold it."""

    id: int | None
    kinds: tuple[str, ...]  # "memories", "searches", "decisions", "settings", "clients", "duplicates", "jobs", "status"
    tool: str
    actor: str
    ids: tuple[int, ...] = ()  # of memories; at most 100


class SettingsView(Answer):
    """What the person can set in the window."""

    paused: bool = False
    backup_hours: int = 24  # 0: no backups by themselves
    backups_kept: int = 7


class SettingsChange(Request):
    """Settings to change; what is not given stays."""

    backup_hours: Annotated[int, Field(ge=0, le=24 * 365)] | None = None
    backups_kept: Annotated[int, Field(ge=1, le=1000)] | None = None


class Job(Answer):
    """Work in the background."""

    id: int
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int | None
    seconds_left: float | None
    message: str | None


class Jobs(Answer):
    """Running ones and those that ended lately, newest first."""

    jobs: tuple[Job, ...]


class Backup(Answer):
    """A backup file. `verified` is when it was last restored for a trial, with equal counts."""

    path: str
    size: int
    created_at: Moment
    encrypted: bool
    verified: bool


class Backups(Answer):
    """Backups in the folder of the home, newest first."""

    backups: tuple[Backup, ...]


class BackupWanted(Request):
    """A backup to be made; without a path in the folder of the home."""

    path: Text | None = None
    passphrase: Text | None = Field(None, min_length=1, max_length=1024, repr=False)


class RestoreWanted(Request):
    """A backup whose contents replace what is there."""

    path: Text
    passphrase: Text | None = Field(None, min_length=1, max_length=1024, repr=False)


class ExportWanted(Request):
    """Memories to be written to a new file; without a scope all live ones."""

    scope: Scope | None = None
    format: Literal["json", "csv", "markdown"]
    path: Text


class Started(Answer):
    """A job that was started."""

    job: Job
