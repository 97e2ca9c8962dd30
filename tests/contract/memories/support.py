"""What the tests of several tools share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from server.memory.memories import Memories
from server.memory.model import Filter, Memory
from server.store.database import Database

Call = Callable[..., dict[str, Any]]
UNKNOWN = 10**15
SECRET = "AKIA" + "A" * 16


def lock(database: Database, owner: int, memory_id: int) -> None:
    """What a person does in the window."""
    with database.transaction() as connection:
        connection.execute("UPDATE memories SET keep = 'Y' WHERE owner_id = %s AND id = %s", [owner, memory_id])


def snapshot(memories: Memories, owner: int) -> list[Memory]:
    """Every row as it stands, newest first."""
    return memories.listing(owner, Filter(include_deleted=True), 50, 0)


def last_entry(memories: Memories, owner: int) -> int:
    """The id of the newest journal entry."""
    return memories.journal(owner, 1)[0].id


def shown(memory: Memory) -> dict[str, Any]:
    """What a person sees of a row; undoing it must bring all of this back."""
    fields = (
        "text",
        "tags",
        "tags_given",
        "importance",
        "expires_at",
        "last_confirmed_at",
        "deleted_at",
        "forget_reason",
        "replaced_by_id",
    )
    learned = ("salience", "use_count", "reward_sum", "last_used_at", "context_id", "context_count")
    return {name: getattr(memory, name) for name in (*fields, *learned, "id", "updated_at", "version")}
