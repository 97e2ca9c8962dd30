"""What the tools of the memories contract take. Descriptions are what an assistant reads before it calls."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from server.memory.model import MAX_NAME_CHARS, MAX_REASON_CHARS, CaptureMode
from server.memory.reviewing import MAX_TAGS_LISTED
from server.memory.storing import DedupPolicy
from server.memory.tags import MAX_TAG_CHARS, MAX_TAGS
from server.toolsets.parameters import Fraction, Id, ItemsOf, Natural, Parameters, Positive, Timestamp, whole

Text = Annotated[str, Field(json_schema_extra={"settings": {"maxLength": "max_text_chars"}})]
Tags = Annotated[list[Annotated[str, Field(max_length=MAX_TAG_CHARS)]], Field(max_length=MAX_TAGS)]
Threshold = Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)]
MaxGroups = Annotated[int, Field(ge=1, le=500), BeforeValidator(whole)]
RecallLimit = Annotated[Positive, Field(json_schema_extra={"settings": {"default": "default_recall_limit"}})]

_TEXT = "One durable fact in one or two plain sentences, understandable without this conversation."
_TAGS = f"Short labels such as family or work; lower case, letters, digits and hyphens. At most {MAX_TAGS}."
_TAG_FILTER = "Only memories with at least one of these tags."
_PROVIDER = "The model or client that produced this memory, such as claude."
_IMPORTANCE = "0 to 1; where ranking starts before anything is learned."
_MODE = "explicit: the user asked to remember this. inferred: you decided to."
_SESSION = "An identifier of the conversation, kept as it is."
_POLICY = "ask: store and report similar memories. skip_if_near: keep an existing one that says the same. insert: no check."
_EXPIRES = "ISO 8601 with time zone. After this moment the memory is no longer recalled."
_CONFIRMED = "ISO 8601 with time zone: when the fact was last known to be true."
_MIN_SCORE = "Leave out memories whose cosine similarity is lower."
_ID = "The memory's id."


class RememberItem(Parameters):
    """One of remember_batch."""

    text: Annotated[Text, Field(description=_TEXT)]
    tags: Annotated[Tags | None, Field(description=_TAGS)] = None
    source_provider: Annotated[str | None, Field(description=_PROVIDER)] = None
    importance: Annotated[Fraction, Field(description=_IMPORTANCE)] = 0.5
    capture_mode: Annotated[CaptureMode | None, Field(description=_MODE)] = None
    session_id: Annotated[str | None, Field(max_length=MAX_NAME_CHARS, description=_SESSION)] = None
    dedup_policy: Annotated[DedupPolicy | None, Field(description=_POLICY, json_schema_extra={"default": "ask"})] = None
    expires_at: Annotated[Timestamp | None, Field(description=_EXPIRES)] = None
    last_confirmed_at: Annotated[Timestamp | None, Field(description=_CONFIRMED + " Default: now.")] = None


class Remember(RememberItem):
    """remember"""

    dedup_policy: Annotated[DedupPolicy, Field(description=_POLICY)] = "ask"
    supersedes: Annotated[list[Id] | None, Field(description="Ids of memories that this one shows to be wrong; they are forgotten.")] = None
    downweights: Annotated[list[Id] | None, Field(description="Ids of memories that are merely outdated; they are ranked lower.")] = None


class RememberBatch(Parameters):
    """remember_batch"""

    items: Annotated[list[object], Field(min_length=1, description="Up to 200 facts."), ItemsOf(RememberItem)]
    source_provider: Annotated[str | None, Field(description="For items that name none.")] = None
    dedup_policy: Annotated[DedupPolicy, Field(description="For items that name none. " + _POLICY)] = "ask"


class Recall(Parameters):
    """recall and search_memory"""

    query: Annotated[str, Field(description="The question or topic, in natural language; names, numbers and identifiers are matched too.")]
    limit: Annotated[RecallLimit | None, Field(description="How many memories at most; up to 50.")] = None
    min_score: Annotated[Fraction | None, Field(description=_MIN_SCORE)] = None
    tags: Annotated[list[str] | None, Field(description=_TAG_FILTER)] = None


class BuildContextPrompt(Parameters):
    """build_context_prompt"""

    user_prompt: Annotated[str, Field(description="The user's question or request.")]
    limit: Annotated[RecallLimit | None, Field(description="How many facts at most; up to 50.")] = None
    max_chars: Annotated[Positive | None, Field(description="The most characters that the whole prompt may have.")] = None
    min_score: Annotated[Fraction | None, Field(description=_MIN_SCORE)] = None
    tags: Annotated[list[str] | None, Field(description=_TAG_FILTER)] = None


class _Filters(Parameters):
    include_deleted: Annotated[bool, Field(description="Also forgotten and expired ones.")] = False
    untagged_only: Annotated[bool, Field(description="Only memories without tags.")] = False
    min_chars: Annotated[Natural | None, Field(description="Only texts of at least this many characters.")] = None
    max_chars: Annotated[Natural | None, Field(description="Only texts of at most this many characters.")] = None
    not_confirmed_since: Annotated[Timestamp | None, Field(description="Only memories not confirmed since this moment.")] = None


class ListMemories(_Filters):
    """list_memories"""

    limit: Annotated[Positive, Field(description="How many at most; up to 50.")] = 20
    offset: Annotated[Natural, Field(description="How many of the newest to skip.")] = 0


class CountMemories(_Filters):
    """count_memories"""

    tags: Annotated[list[str] | None, Field(description=_TAG_FILTER)] = None
    source_provider: Annotated[str | None, Field(description="Only memories from exactly this provider.")] = None


class UpdateItem(Parameters):
    """One of update_memory_batch."""

    id: Annotated[Id, Field(description=_ID)]
    text: Annotated[Text | None, Field(description="The corrected text; replaces the old one.")] = None
    tags: Annotated[list[str] | None, Field(description="Replaces all tags; an empty list removes them.")] = None
    importance: Annotated[Fraction | None, Field(description="0 to 1.")] = None
    expires_at: Annotated[Timestamp | None, Field(description=_EXPIRES)] = None
    last_confirmed_at: Annotated[Timestamp | None, Field(description=_CONFIRMED)] = None


class UpdateMemory(UpdateItem):
    """update_memory"""

    dry_run: Annotated[bool, Field(description="Only say what would change.")] = False


class UpdateMemoryBatch(Parameters):
    """update_memory_batch"""

    items: Annotated[list[object], Field(min_length=1, description="Up to 200 changes."), ItemsOf(UpdateItem)]
    dry_run: Annotated[bool, Field(description="Only say what would change.")] = False


class Reinforce(Parameters):
    """reinforce"""

    memory_ids: Annotated[list[Id], Field(min_length=1, description="The memories that helped or misled; up to 200.")]
    delta: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False, description="From -1 (wrong, unhelpful) to 1 (helpful).")] = 1
    query: Annotated[str | None, Field(description="The question that they helped to answer.")] = None


class Forget(Parameters):
    """forget"""

    id: Annotated[Id, Field(description=_ID)]
    hard_delete: Annotated[bool, Field(description="Remove it for good, without undo. Only when the user asks for exactly that.")] = False
    reason: Annotated[
        str | None, Field(max_length=MAX_REASON_CHARS, description="Why, kept with the forgotten memory. Not with hard_delete.")
    ] = None
    replaced_by_id: Annotated[Id | None, Field(description="The memory that holds the correct fact. Not with hard_delete.")] = None
    dry_run: Annotated[bool, Field(description="Only say what would happen.")] = False


class ForgetBatch(Parameters):
    """forget_batch"""

    ids: Annotated[list[Id], Field(min_length=1, description="The memories to forget; up to 200.")]
    reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARS, description="Why, kept with each of them.")] = None
    dry_run: Annotated[bool, Field(description="Only say what would happen.")] = False


class FindNearDuplicates(Parameters):
    """find_near_duplicates"""

    threshold: Annotated[Threshold, Field(description="The least cosine similarity, 0.5 to 1; 0.95 for all but identical texts.")] = 0.92
    max_groups: Annotated[MaxGroups, Field(description="How many groups at most; up to 500.")] = 50


class FindConflicts(Parameters):
    """find_conflicts"""

    threshold: Annotated[Threshold, Field(description="The least cosine similarity, 0.5 to 1.")] = 0.80
    max_groups: Annotated[MaxGroups, Field(description="How many groups at most; up to 500.")] = 50


class QueryRelations(Parameters):
    """query_relations"""

    entity: Annotated[str, Field(description="A person, place, organisation or thing, or: the user.")]
    max_hops: Annotated[Positive, Field(description="1: direct relations only; up to 5.")] = 2


class TextSearch(Parameters):
    """text_search"""

    text: Annotated[str, Field(description="The piece of text to find.")]
    limit: Annotated[Positive, Field(description="How many at most; up to 50.")] = 20


class OneMemory(Parameters):
    """get_memory and confirm"""

    id: Annotated[Id, Field(description=_ID)]


class ListTags(Parameters):
    """list_tags"""

    include_deleted: Annotated[bool, Field(description="Also tags of forgotten and expired memories.")] = False
    limit: Annotated[Positive | None, Field(description=f"How many at most; up to {MAX_TAGS_LISTED}.")] = None


class ExportMemories(Parameters):
    """export_memories"""

    include_deleted: Annotated[bool, Field(description="Also forgotten and expired ones.")] = True


class Nothing(Parameters):
    """memory_stats"""
