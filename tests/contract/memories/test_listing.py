"""list_memories, get_memory and memory_stats."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

Call = Callable[..., dict[str, Any]]


def texts(listed: dict[str, Any]) -> list[str]:
    return [memory["text"] for memory in listed["memories"]]


def test_newest_first_in_pages(call: Call) -> None:
    for number in range(25):
        call("remember", text=f"fact {number:02}", dedup_policy="insert")
    assert texts(call("list_memories")) == [f"fact {number:02}" for number in range(24, 4, -1)]
    assert texts(call("list_memories", limit=3, offset=23)) == ["fact 01", "fact 00"]
    assert texts(call("list_memories", offset=25)) == []
    assert len(call("list_memories", limit=1000)["memories"]) == 25
    assert "score" not in call("list_memories", limit=1)["memories"][0]


def test_filters_combine(call: Call) -> None:
    call("remember", text="tiny")
    call("remember", text="a text of some length", tags=["x"])
    call("remember", text="a text of some length too")
    assert texts(call("list_memories", untagged_only=True)) == ["a text of some length too", "tiny"]
    assert texts(call("list_memories", max_chars=4)) == ["tiny"]
    assert texts(call("list_memories", max_chars=3)) == []
    assert texts(call("list_memories", min_chars=21, max_chars=21)) == ["a text of some length"]
    assert texts(call("list_memories", min_chars=5, untagged_only=True)) == ["a text of some length too"]


def test_characters_are_counted_as_people_count_them(call: Call) -> None:
    call("remember", text="日本語")
    assert texts(call("list_memories", min_chars=3, max_chars=3)) == ["日本語"]


def test_deleted_and_expired_ones_only_on_wish(call: Call) -> None:
    gone = call("remember", text="gone")["memory_id"]
    call("forget", id=gone, reason="wrong")
    call("remember", text="late", expires_at="2020-01-01T00:00:00Z")
    call("remember", text="here")
    assert texts(call("list_memories")) == ["here"]
    everything = call("list_memories", include_deleted=True)
    assert texts(everything) == ["here", "late", "gone"]
    assert everything["memories"][2]["forget_reason"] == "wrong"
    assert everything["memories"][1]["expires_at"] == "2020-01-01T00:00:00Z"


def test_not_confirmed_since(call: Call) -> None:
    call("remember", text="old", last_confirmed_at="2025-01-01T00:00:00Z")
    call("remember", text="new")
    assert texts(call("list_memories", not_confirmed_since="2026-01-01T00:00:00Z")) == ["old"]
    assert texts(call("list_memories", not_confirmed_since="2025-01-01T00:00:00Z")) == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"limit": 0}, "limit"),
        ({"offset": -1}, "offset"),
        ({"offset": 0.5}, "offset"),
        ({"min_chars": -1}, "min_chars"),
        ({"max_chars": -1}, "max_chars"),
        ({"min_chars": 5, "max_chars": 4}, "min_chars"),
        ({"include_deleted": "yes"}, "include_deleted"),
        ({"untagged_only": 1}, "untagged_only"),
        ({"not_confirmed_since": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}, "not_confirmed_since"),
        ({"not_confirmed_since": "yesterday"}, "not_confirmed_since"),
        ({"tags": ["x"]}, "tags"),
    ],
)
def test_refused_listings(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("list_memories", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


def test_an_offset_beyond_every_table(call: Call) -> None:
    assert texts(call("list_memories", offset=2**63 - 1)) == []
    assert texts(call("list_memories", offset=2**80)) == []
    assert texts(call("list_memories", min_chars=2**80)) == []


def test_get_shows_tombstones(call: Call) -> None:
    memory_id = call("remember", text="Anna likes tea")["memory_id"]
    before = call("get_memory", id=memory_id)["memory"]
    assert (before["deleted_at"], before["forget_reason"], before["replaced_by_id"], before["expires_at"]) == (None, None, None, None)
    call("forget", id=memory_id, reason="wrong")
    after = call("get_memory", id=memory_id)["memory"]
    assert after["forget_reason"] == "wrong"
    assert after["deleted_at"].endswith("Z")


@pytest.mark.parametrize("memory_id", [10**15, 0, -1, 2**63, 2**200])
def test_get_unknown(refused: Call, memory_id: int) -> None:
    assert refused("get_memory", id=memory_id) == {"code": "NOT_FOUND", "message": f"Memory {memory_id} not found."}


@pytest.mark.parametrize("given", [{}, {"id": None}, {"id": "5"}, {"id": 1.5}, {"id": True}, {"id": [1]}, {"id": 1, "x": 2}])
def test_get_refused(refused: Call, given: dict[str, Any]) -> None:
    assert refused("get_memory", **given)["code"] == "INVALID_INPUT"


def test_another_owner_sees_nothing(call: Call, refused: Call, toolset: Any) -> None:
    from server.toolsets.base import Caller

    memory_id = call("remember", text="Anna likes tea")["memory_id"]
    stranger = Caller(1, "test client")
    assert toolset.call("get_memory", {"id": memory_id}, stranger).payload["error"]["code"] == "NOT_FOUND"
    assert toolset.call("forget", {"id": memory_id}, stranger).payload["error"]["code"] == "NOT_FOUND"
    assert call("get_memory", id=memory_id)["memory"]["deleted_at"] is None


def test_stats(call: Call) -> None:
    assert call("memory_stats") == {
        "ok": True,
        "total": 0,
        "active": 0,
        "soft_deleted": 0,
        "expired": 0,
        "avg_importance": None,
        "oldest_created_at": None,
        "newest_created_at": None,
        "top_tags": [],
        "by_provider": [],
    }
    call("remember", text="one", tags=["b", "a"], importance=0.2, source_provider="openai")
    call("remember", text="two", tags=["a"], importance=0.4)
    call("remember", text="late", tags=["c"], importance=0.6, expires_at="2020-01-01T00:00:00Z")
    call("forget", id=call("remember", text="gone", importance=1.0, source_provider="openai")["memory_id"])
    stats = call("memory_stats")
    assert (stats["total"], stats["active"], stats["soft_deleted"], stats["expired"]) == (4, 2, 1, 1)
    assert stats["avg_importance"] == pytest.approx(0.4)
    assert stats["oldest_created_at"] < stats["newest_created_at"]
    assert stats["top_tags"] == [{"tag": "a", "count": 2}, {"tag": "b", "count": 1}]
    assert stats["by_provider"] == [{"provider": "(none)", "count": 2}, {"provider": "openai", "count": 1}]


def test_stats_take_nothing(refused: Call) -> None:
    assert refused("memory_stats", verbose=True)["code"] == "INVALID_INPUT"


def test_unknown_tool(refused: Call) -> None:
    assert refused("no_such_tool")["code"] == "INVALID_INPUT"
