"""forget_batch: soft deletes, each id by itself, one operation."""

from __future__ import annotations

from typing import Any

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor
from server.store.database import Database
from tests.contract.memories.support import UNKNOWN, Call, last_entry, lock, shown, snapshot


@pytest.fixture
def ids(call: Call) -> list[int]:
    """Three memories."""
    return [call("remember", text=text)["memory_id"] for text in ("Anna likes tea", "Bob is tall", "Carl sails")]


def test_shape(call: Call, ids: list[int]) -> None:
    done = call("forget_batch", ids=[ids[1], UNKNOWN], reason="outdated")
    assert done == {
        "ok": True,
        "dry_run": False,
        "results": [
            {"input_index": 0, "id": ids[1], "ok": True, "already_deleted": False, "message": "Forgotten"},
            {
                "input_index": 1,
                "id": UNKNOWN,
                "ok": False,
                "error": {"code": "NOT_FOUND", "message": f"Memory {UNKNOWN} not found."},
            },
        ],
        "summary": {"total": 2, "deleted": 1, "already_deleted": 0, "errors": 1},
    }
    memory = call("get_memory", id=ids[1])["memory"]
    assert memory["forget_reason"] == "outdated"
    assert memory["deleted_at"].endswith("Z")
    assert [one["id"] for one in call("list_memories")["memories"]] == [ids[2], ids[0]]
    assert call("recall", query="Bob is tall", min_score=0.5)["matches"] == []
    assert call("text_search", text="Bob")["memories"] == []


def test_tombstones_get_the_new_reason(call: Call, ids: list[int]) -> None:
    call("forget", id=ids[0], reason="first")
    before = call("get_memory", id=ids[0])["memory"]
    (done,) = call("forget_batch", ids=[ids[0]])["results"]
    assert (done["already_deleted"], done["message"]) == (True, "Already soft-deleted (tombstone updated)")
    assert call("get_memory", id=ids[0])["memory"] == before
    again = call("forget_batch", ids=ids, reason="second")
    assert again["summary"] == {"total": 3, "deleted": 2, "already_deleted": 1, "errors": 0}
    after = call("get_memory", id=ids[0])["memory"]
    assert (after["forget_reason"], after["deleted_at"]) == ("second", before["deleted_at"])


def test_one_id_twice(call: Call, ids: list[int]) -> None:
    done = call("forget_batch", ids=[ids[0], ids[0]])
    assert [one["already_deleted"] for one in done["results"]] == [False, True]
    assert done["summary"] == {"total": 2, "deleted": 1, "already_deleted": 1, "errors": 0}


def test_locked(call: Call, ids: list[int], database: Database, owner: int) -> None:
    lock(database, owner, ids[1])
    for dry_run in (True, False):
        done = call("forget_batch", ids=ids, dry_run=dry_run)
        assert [one["ok"] for one in done["results"]] == [True, False, True]
        assert done["results"][1]["error"]["code"] == "PROTECTED"
        assert done["summary"]["errors"] == 1
    assert [one["id"] for one in call("list_memories")["memories"]] == [ids[1]]


def test_dry_run(call: Call, ids: list[int], memories: Memories, owner: int) -> None:
    call("forget", id=ids[2])
    before, entry = snapshot(memories, owner), last_entry(memories, owner)
    done = call("forget_batch", ids=[*ids, UNKNOWN], reason="x", dry_run=True)
    assert done["dry_run"] is True
    assert [one.get("message") for one in done["results"]] == [
        "Would soft-delete",
        "Would soft-delete",
        "Would update tombstone (already soft-deleted)",
        None,
    ]
    assert [one.get("already_deleted") for one in done["results"]] == [False, False, True, None]
    assert done["summary"] == {"total": 4, "deleted": 2, "already_deleted": 1, "errors": 1}
    assert (snapshot(memories, owner), last_entry(memories, owner)) == (before, entry)


@pytest.mark.parametrize(
    ("given", "code", "named"),
    [
        ({}, "INVALID_INPUT", "ids"),
        ({"ids": None}, "INVALID_INPUT", "ids"),
        ({"ids": []}, "INVALID_INPUT", "ids"),
        ({"ids": 5}, "INVALID_INPUT", "ids"),
        ({"ids": ["5"]}, "INVALID_INPUT", "ids[0]"),
        ({"ids": [1, None]}, "INVALID_INPUT", "ids[1]"),
        ({"ids": [0.5]}, "INVALID_INPUT", "ids[0]"),
        ({"ids": [1], "reason": "x" * 1025}, "INVALID_INPUT", "reason"),
        ({"ids": [1], "reason": 5}, "INVALID_INPUT", "reason"),
        ({"ids": [1], "reason": "a\0"}, "INVALID_INPUT", "NUL"),
        ({"ids": [1], "dry_run": "no"}, "INVALID_INPUT", "dry_run"),
        ({"ids": [1], "hard_delete": True}, "INVALID_INPUT", "hard_delete"),
        ({"ids": [1], "replaced_by_id": 2}, "INVALID_INPUT", "replaced_by_id"),
        ({"ids": [1] * 201}, "LIMIT_EXCEEDED", "200"),
        ({"ids": [1] * 201, "dry_run": True}, "LIMIT_EXCEEDED", "200"),
    ],
)
def test_refused(refused: Call, given: dict[str, Any], code: str, named: str) -> None:
    error = refused("forget_batch", **given)
    assert error["code"] == code
    assert named in error["message"]


def test_at_the_limits(call: Call, ids: list[int]) -> None:
    done = call("forget_batch", ids=[ids[0], *range(UNKNOWN, UNKNOWN + 199)], reason="x" * 1024)
    assert done["summary"] == {"total": 200, "deleted": 1, "already_deleted": 0, "errors": 199}
    assert call("forget_batch", ids=[0, -1, 2**63, 2**200, float(ids[1])], reason=None, dry_run=None)["summary"]["errors"] == 4


def test_one_entry_that_can_be_undone(call: Call, ids: list[int], memories: Memories, person: Actor) -> None:
    call("forget", id=ids[2], reason="first")
    before = [shown(memory) for memory in snapshot(memories, person.owner_id)]
    call("forget_batch", ids=[*ids, UNKNOWN, ids[0]], reason="second")
    entry = memories.journal(person.owner_id, 1)[0]
    assert (entry.tool, len(entry.rows)) == ("forget_batch", 3)
    memories.undo(person, entry.id)
    assert [shown(memory) for memory in snapshot(memories, person.owner_id)] == before
    assert call("recall", query="Anna likes tea", limit=1)["matches"][0]["id"] == ids[0]
