"""count_memories, list_tags and export_memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.memory.memories import Memories
from server.memory.model import Limits
from server.memory.reviewing import MAX_TAGS_LISTED
from server.store.store import PostgresStore
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset
from tests.contract.memories.support import Call
from tests.support import WordEmbedder

NEAR_FUTURE = (datetime.now(UTC) + timedelta(minutes=4)).isoformat()
FUTURE = (datetime.now(UTC) + timedelta(hours=1)).isoformat()


@pytest.fixture
def stocked(call: Call) -> Call:
    """Two live memories of three, one expired, one forgotten."""
    call("remember", text="tiny", tags=["Home Office"], source_provider="openai", last_confirmed_at="2025-01-01T00:00:00Z")
    call("remember", text="a text of some length", tags=["kin", "work"])
    call("remember", text="no tags here")
    call("remember", text="late", tags=["work"], expires_at="2020-01-01T00:00:00Z")
    call("forget", id=call("remember", text="gone", tags=["work", "old"], source_provider="openai")["memory_id"], reason="wrong")
    return call


# ---- count_memories


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({}, 3),
        ({"include_deleted": True}, 5),
        ({"tags": ["home_office"]}, 1),
        ({"tags": ["Relatives", "home office"]}, 2),
        ({"tags": ["job"]}, 1),
        ({"tags": ["job"], "include_deleted": True}, 3),
        ({"tags": []}, 3),
        ({"tags": ["nothing"]}, 0),
        ({"tags": ["!!!", "%"]}, 0),
        ({"source_provider": "openai"}, 1),
        ({"source_provider": "OpenAI"}, 0),
        ({"source_provider": "openai", "include_deleted": True}, 2),
        ({"untagged_only": True}, 1),
        ({"untagged_only": True, "tags": ["work"]}, 0),
        ({"min_chars": 4}, 3),
        ({"min_chars": 5}, 2),
        ({"max_chars": 4}, 1),
        ({"max_chars": 3}, 0),
        ({"min_chars": 12, "max_chars": 12}, 1),
        ({"min_chars": 0, "max_chars": 2**80}, 3),
        ({"not_confirmed_since": "2025-01-01T00:00:00Z"}, 0),
        ({"not_confirmed_since": "2025-01-01T00:00:00.000001Z"}, 1),
        ({"not_confirmed_since": NEAR_FUTURE}, 3),
        (
            dict.fromkeys(["include_deleted", "tags", "source_provider", "untagged_only", "min_chars", "max_chars", "not_confirmed_since"]),
            3,
        ),
    ],
)
def test_count(stocked: Call, given: dict[str, Any], count: int) -> None:
    assert stocked("count_memories", **given) == {"ok": True, "count": count}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"min_chars": -1}, "min_chars"),
        ({"max_chars": -1}, "max_chars"),
        ({"min_chars": 1.5}, "min_chars"),
        ({"min_chars": 5, "max_chars": 4}, "min_chars"),
        ({"min_chars": 5, "max_chars": 4, "tags": ["!!!"]}, "min_chars"),
        ({"not_confirmed_since": FUTURE}, "not_confirmed_since"),
        ({"not_confirmed_since": "2026-01-01"}, "not_confirmed_since"),
        ({"include_deleted": "yes"}, "include_deleted"),
        ({"untagged_only": 0}, "untagged_only"),
        ({"tags": "work"}, "tags"),
        ({"tags": [5]}, "tags[0]"),
        ({"source_provider": 5}, "source_provider"),
        ({"source_provider": "a\0"}, "NUL"),
        ({"limit": 1}, "limit"),
    ],
)
def test_count_refused(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("count_memories", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


# ---- list_tags


def test_tags(stocked: Call) -> None:
    stocked("remember", text="one more", tags=["family"])
    first = {"tag": "family", "count": 2}
    assert stocked("list_tags") == {"ok": True, "tags": [first, {"tag": "home-office", "count": 1}, {"tag": "work", "count": 1}]}
    assert stocked("list_tags", include_deleted=True)["tags"] == [
        {"tag": "work", "count": 3},
        first,
        {"tag": "home-office", "count": 1},
        {"tag": "old", "count": 1},
    ]
    assert stocked("list_tags", limit=1)["tags"] == [first]
    assert stocked("list_tags", limit=1.0, include_deleted=False)["tags"] == [first]
    assert len(stocked("list_tags", limit=None, include_deleted=None)["tags"]) == 3


def test_no_tags(call: Call) -> None:
    call("remember", text="no tags here")
    assert call("list_tags") == {"ok": True, "tags": []}


def test_tags_are_capped(call: Call) -> None:
    assert MAX_TAGS_LISTED == 500
    items = [{"text": f"fact {n}", "tags": [f"t{n:03}-{m}" for m in range(16)], "dedup_policy": "insert"} for n in range(32)]
    call("remember_batch", items=items)
    everything = call("list_tags")["tags"]
    assert len(everything) == 500  # of 512
    assert everything == sorted(everything, key=lambda one: one["tag"])
    for limit, shown in ((499, 499), (500, 500), (501, 500), (2**80, 500)):
        assert call("list_tags", limit=limit)["tags"] == everything[:shown]


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": -1}, {"limit": 1.5}, {"limit": "5"}, {"include_deleted": 1}, {"tags": []}])
def test_tags_refused(refused: Call, given: dict[str, Any]) -> None:
    error = refused("list_tags", **given)
    assert error["code"] == "INVALID_INPUT"
    assert next(iter(given)) in error["message"]


# ---- export_memories


def test_export(stocked: Call) -> None:
    done = stocked("export_memories")
    assert list(done) == ["ok", "count", "memories"]
    assert done["count"] == 5  # with forgotten and expired ones, unless it is asked otherwise
    assert [memory["text"] for memory in done["memories"]] == ["tiny", "a text of some length", "no tags here", "late", "gone"]
    assert done["memories"][4]["forget_reason"] == "wrong"
    assert done["memories"][4]["deleted_at"].endswith("Z")
    assert done["memories"][3]["expires_at"] == "2020-01-01T00:00:00Z"
    recalled = stocked("recall", query="tiny")["matches"][0]
    assert set(recalled) - {"score"} <= set(done["memories"][0])
    assert not [name for name in done["memories"][0] if name == "score" or "vector" in name or "embedding" in name]
    assert stocked("export_memories", include_deleted=None) == stocked("export_memories", include_deleted=True) == done
    kept = stocked("export_memories", include_deleted=False)
    assert (kept["count"], kept["memories"]) == (3, done["memories"][:3])


def test_export_of_nothing(call: Call) -> None:
    assert call("export_memories") == {"ok": True, "count": 0, "memories": []}


def test_export_over_its_cap(stocked: Call, store: PostgresStore, embedder: WordEmbedder, owner: int) -> None:
    assert Limits().max_export_rows == 100_000

    def export(most: int, **given: Any) -> dict[str, Any]:
        small = MemoriesToolset(Memories(store, embedder, Limits(max_export_rows=most)))
        return small.call("export_memories", given, Caller(owner, "test client")).payload

    assert export(6)["count"] == export(5)["count"] == 5
    error = export(4)["error"]
    assert error["code"] == "LIMIT_EXCEEDED"
    assert "5 memories" in error["message"]
    assert "ownsona export" in error["message"]
    assert export(3, include_deleted=False)["count"] == 3
    assert export(2, include_deleted=False)["error"]["code"] == "LIMIT_EXCEEDED"


@pytest.mark.parametrize("given", [{"include_deleted": "yes"}, {"include_deleted": 0}, {"limit": 5}])
def test_export_refused(refused: Call, given: dict[str, Any]) -> None:
    error = refused("export_memories", **given)
    assert error["code"] == "INVALID_INPUT"
    assert next(iter(given)) in error["message"]
