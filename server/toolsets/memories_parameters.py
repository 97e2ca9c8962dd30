"""What the tools of the memories contract take. Descriptions are what an assistant reads before it calls."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from server.toolsets.parameters import Fraction, Id, Natural, Parameters, Positive, Timestamp

Text = Annotated[str, Field(json_schema_extra={"settings": {"maxLength": "max_text_chars"}})]
Tags = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=16)]
TagFilter = list[str]

_TAGS = "Short labels such as family or work; lower case, letters, digits and hyphens. At most 16."
_EXPIRES = "ISO 8601 with time zone. After this moment the memory is no longer recalled."
_CONFIRMED = "ISO 8601 with time zone: when the fact was last known to be true. Default: now."


class Remember(Parameters):
    """remember"""

    text: Annotated[Text, Field(description="One durable fact in one or two plain sentences, understandable without this conversation.")]
    tags: Annotated[Tags | None, Field(description=_TAGS)] = None
    source_provider: Annotated[str | None, Field(description="The model or client that produced this memory, such as claude.")] = None
    importance: Annotated[Fraction, Field(description="0 to 1; where ranking starts before anything is learned.")] = 0.5
    capture_mode: Annotated[
        Literal["explicit", "inferred"] | None,
        Field(description="explicit: the user asked to remember this. inferred: you decided to."),
    ] = None
    session_id: Annotated[str | None, Field(max_length=256, description="An identifier of the conversation, kept as it is.")] = None
    dedup_policy: Annotated[
        Literal["insert", "skip_if_near", "ask"],
        Field(
            description="ask: store and report similar memories. skip_if_near: keep an existing one that says the same. insert: no check."
        ),
    ] = "ask"
    expires_at: Annotated[Timestamp | None, Field(description=_EXPIRES)] = None
    last_confirmed_at: Annotated[Timestamp | None, Field(description=_CONFIRMED)] = None
    supersedes: Annotated[list[Id] | None, Field(description="Ids of memories that this one shows to be wrong; they are forgotten.")] = None
    downweights: Annotated[list[Id] | None, Field(description="Ids of memories that are merely outdated; they are ranked lower.")] = None


class Recall(Parameters):
    """recall and search_memory"""

    query: Annotated[str, Field(description="The question or topic, in natural language; names, numbers and identifiers are matched too.")]
    limit: Annotated[
        Positive | None,
        Field(description="How many memories at most; up to 50.", json_schema_extra={"settings": {"default": "default_recall_limit"}}),
    ] = None
    min_score: Annotated[Fraction | None, Field(description="Leave out memories whose cosine similarity is lower.")] = None
    tags: Annotated[TagFilter | None, Field(description="Only memories with at least one of these tags.")] = None


class ListMemories(Parameters):
    """list_memories"""

    limit: Annotated[Positive, Field(description="How many at most; up to 50.")] = 20
    offset: Annotated[Natural, Field(description="How many of the newest to skip.")] = 0
    include_deleted: Annotated[bool, Field(description="Also forgotten and expired ones.")] = False
    untagged_only: Annotated[bool, Field(description="Only memories without tags.")] = False
    min_chars: Annotated[Natural | None, Field(description="Only texts of at least this many characters.")] = None
    max_chars: Annotated[Natural | None, Field(description="Only texts of at most this many characters.")] = None
    not_confirmed_since: Annotated[Timestamp | None, Field(description="Only memories not confirmed since this moment.")] = None


class UpdateMemory(Parameters):
    """update_memory"""

    id: Annotated[Id, Field(description="The memory's id.")]
    text: Annotated[Text | None, Field(description="The corrected text; replaces the old one.")] = None
    tags: Annotated[TagFilter | None, Field(description="Replaces all tags; an empty list removes them.")] = None
    importance: Annotated[Fraction | None, Field(description="0 to 1.")] = None
    expires_at: Annotated[Timestamp | None, Field(description=_EXPIRES)] = None
    last_confirmed_at: Annotated[Timestamp | None, Field(description="ISO 8601 with time zone: when it was last known to be true.")] = None
    dry_run: Annotated[bool, Field(description="Only say what would change.")] = False


class Forget(Parameters):
    """forget"""

    id: Annotated[Id, Field(description="The memory's id.")]
    hard_delete: Annotated[
        bool, Field(description="Remove it for good; this cannot be undone. Only when the user asks for exactly that.")
    ] = False
    reason: Annotated[str | None, Field(max_length=1024, description="Why, kept with the forgotten memory. Not with hard_delete.")] = None
    replaced_by_id: Annotated[Id | None, Field(description="The memory that holds the correct fact. Not with hard_delete.")] = None
    dry_run: Annotated[bool, Field(description="Only say what would happen.")] = False


class OneMemory(Parameters):
    """get_memory"""

    id: Annotated[Id, Field(description="The memory's id.")]


class Nothing(Parameters):
    """memory_stats"""
