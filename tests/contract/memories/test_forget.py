"""forget: tombstones, hard deletes, dry runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., dict[str, Any]]


@pytest.fixture
def memory_id(call: Call) -> int:
    stored: int = call("remember", text="Anna likes tea")["memory_id"]
    return stored


def test_soft(call: Call, memory_id: int) -> None:
    other = call("remember", text="Anna likes milk")["memory_id"]
    done = call("forget", id=memory_id, reason="She changed", replaced_by_id=other)
    assert done == {"ok": True, "memory_id": memory_id, "dry_run": False, "already_deleted": False, "message": "Forgotten"}
    memory = call("get_memory", id=memory_id)["memory"]
    assert (memory["forget_reason"], memory["replaced_by_id"]) == ("She changed", other)


def test_again_updates_the_tombstone(call: Call, memory_id: int) -> None:
    call("forget", id=memory_id, reason="first")
    deleted_at = call("get_memory", id=memory_id)["memory"]["deleted_at"]
    again = call("forget", id=memory_id)
    assert again["already_deleted"] is True
    assert call("get_memory", id=memory_id)["memory"]["forget_reason"] == "first"
    call("forget", id=memory_id, reason="second")
    memory = call("get_memory", id=memory_id)["memory"]
    assert (memory["forget_reason"], memory["deleted_at"]) == ("second", deleted_at)


def test_hard(call: Call, refused: Call, memory_id: int) -> None:
    done = call("forget", id=memory_id, hard_delete=True)
    assert (done["already_deleted"], done["message"]) == (False, "Hard deleted")
    assert refused("get_memory", id=memory_id)["code"] == "NOT_FOUND"
    assert refused("forget", id=memory_id, hard_delete=True)["code"] == "NOT_FOUND"


def test_hard_after_soft(call: Call, memory_id: int) -> None:
    call("forget", id=memory_id)
    assert call("forget", id=memory_id, hard_delete=True)["already_deleted"] is True
    assert call("memory_stats")["total"] == 0


def test_dry_runs(call: Call, memory_id: int) -> None:
    before = call("get_memory", id=memory_id)
    assert call("forget", id=memory_id, dry_run=True)["message"] == "Would soft-delete"
    assert call("forget", id=memory_id, hard_delete=True, dry_run=True)["message"] == "Would hard-delete"
    assert call("get_memory", id=memory_id) == before
    call("forget", id=memory_id)
    again = call("forget", id=memory_id, reason="x", dry_run=True)
    assert (again["message"], again["already_deleted"]) == ("Would update tombstone (already soft-deleted)", True)
    assert call("get_memory", id=memory_id)["memory"]["forget_reason"] is None


@pytest.mark.parametrize("dry_run", [False, True])
def test_refused(call: Call, refused: Call, memory_id: int, dry_run: bool) -> None:
    def code(**given: Any) -> str:
        error: str = refused("forget", **({"id": memory_id, "dry_run": dry_run} | given))["code"]
        return error

    assert code(hard_delete=True, reason="x") == "INVALID_INPUT"
    assert code(hard_delete=True, replaced_by_id=memory_id) == "INVALID_INPUT"
    assert code(replaced_by_id=memory_id) == "INVALID_INPUT"
    assert code(replaced_by_id=10**15) == "INVALID_INPUT"
    assert code(reason="x" * 1025) == "INVALID_INPUT"
    assert code(hard_delete="yes") == "INVALID_INPUT"
    assert code(id=10**15) == "NOT_FOUND"
    assert code(id=None) == "INVALID_INPUT"
    assert call("get_memory", id=memory_id)["memory"]["deleted_at"] is None


def test_reason_at_the_limit(call: Call, memory_id: int) -> None:
    call("forget", id=memory_id, reason="x" * 1024)
    assert len(call("get_memory", id=memory_id)["memory"]["forget_reason"]) == 1024
