"""Memories as the tools of the memories contract show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from server.memory.model import Match, Memory


def iso(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a Z, to the microsecond where there is one."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def row(memory: Memory) -> dict[str, Any]:
    """One memory in a list. What a tombstone alone has is there only on a tombstone."""
    shown = {
        "id": memory.id,
        "text": memory.text,
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "last_confirmed_at": iso(memory.last_confirmed_at),
        "tags": memory.tags,
        "source_provider": memory.source_provider,
        "capture_mode": memory.capture_mode,
        "importance": memory.importance,
        "salience": memory.salience,
        "use_count": memory.use_count,
        "keep": memory.keep,
    }
    if memory.context_count:
        shown["context_count"] = memory.context_count
    if memory.expires_at:
        shown["expires_at"] = iso(memory.expires_at)
    if memory.deleted_at:
        shown |= tombstone(memory)
    return shown


def tombstone(memory: Memory) -> dict[str, Any]:
    """When, why and in favour of what a memory was forgotten."""
    return {"deleted_at": iso(memory.deleted_at), "forget_reason": memory.forget_reason, "replaced_by_id": memory.replaced_by_id}


def match_row(match: Match) -> dict[str, Any]:
    """A memory with the raw cosine that found it."""
    shown = row(match.memory)
    return {"id": shown.pop("id"), "text": shown.pop("text"), "score": round(match.score, 4), **shown}


def full_row(memory: Memory) -> dict[str, Any]:
    """One memory with every field, empty ones too, always in this order: also a line of an export, which an import reads back."""
    return {
        "id": memory.id,
        "uuid": str(memory.uuid),
        "text": memory.text,
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "last_confirmed_at": iso(memory.last_confirmed_at),
        "expires_at": iso(memory.expires_at),
        "tags": memory.tags,
        "tags_given": memory.tags_given,
        "importance": memory.importance,
        "salience": memory.salience,
        "use_count": memory.use_count,
        "reward_sum": memory.reward_sum,
        "last_used_at": iso(memory.last_used_at),
        "context_count": memory.context_count,
        "keep": memory.keep,
        "source_provider": memory.source_provider,
        "source_client": memory.source_client,
        "session_id": memory.session_id,
        "capture_mode": memory.capture_mode,
        "namespace": memory.namespace,
        "metadata": memory.metadata,
        **tombstone(memory),
        "deleted_by": memory.deleted_by,
    }
