"""Looking through the store: explained recall, duplicates, the journal, figures."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from server.api.base import ActorKind, Answer, Fraction, Id, Ids, Moment, Request, Text
from server.api.memories import Count, Done, MemoryRow


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
    """Memories that were made on one day (UTC)."""

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
