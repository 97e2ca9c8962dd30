"""remember_batch: each item by itself, one call of the model, one operation."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor
from server.memory.ports import EmbeddingError
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset
from tests.contract.memories.support import SECRET, Call, last_entry
from tests.support import WordEmbedder

BASE = "anna drinks green tea at breakfast"


def codes(done: dict[str, Any]) -> list[str]:
    return ["" if one["ok"] else one["error"]["code"] for one in done["results"]]


def test_shape(call: Call) -> None:
    known = call("remember", text="Bob is tall")["memory_id"]
    done = call("remember_batch", items=[{"text": "Anna likes tea"}, {"text": " bob IS tall"}, {"text": SECRET}, {"text": "Carl sails"}])
    assert list(done) == ["ok", "results", "summary"]
    assert done["summary"] == {"total": 4, "succeeded": 3, "failed": 1, "inserted": 2, "duplicates": 1, "errors": 1}
    first, again, secret, last = done["results"]
    assert first == {"input_index": 0, "ok": True, "memory_id": first["memory_id"], "message": "Ok", "near_duplicates": []}
    assert again == {"input_index": 1, "ok": True, "memory_id": known, "message": "Already remembered", "near_duplicates": []}
    assert set(secret) == {"input_index", "ok", "error"}
    assert (secret["input_index"], secret["ok"], secret["error"]["code"]) == (2, False, "SECRET_REJECTED")
    assert SECRET not in secret["error"]["message"]
    assert last["memory_id"] > first["memory_id"]
    assert [memory["text"] for memory in call("list_memories")["memories"]] == ["Carl sails", "Anna likes tea", "Bob is tall"]


def test_every_field_of_an_item(call: Call) -> None:
    item = {
        "text": "  Anna likes tea ",
        "tags": ["Kin", "family"],
        "source_provider": "claude",
        "importance": 0.8,
        "capture_mode": "inferred",
        "session_id": "s1",
        "dedup_policy": "insert",
        "expires_at": "2030-01-01T00:00:00+02:00",
        "last_confirmed_at": "2026-01-01T12:00:00Z",
    }
    (stored,) = call("remember_batch", items=[item])["results"]
    assert "near_duplicates" not in stored
    memory = call("get_memory", id=stored["memory_id"])["memory"]
    assert (memory["text"], memory["tags"], memory["source_provider"]) == ("Anna likes tea", ["family"], "claude")
    assert (memory["importance"], memory["salience"], memory["capture_mode"], memory["session_id"]) == (0.8, 0.8, "inferred", "s1")
    assert (memory["expires_at"], memory["last_confirmed_at"]) == ("2029-12-31T22:00:00Z", "2026-01-01T12:00:00Z")


def test_defaults_of_the_batch_hold_where_an_item_names_none(call: Call, embedder: WordEmbedder) -> None:
    call("remember", text=BASE)
    for number in range(3):
        embedder.place(f"green tea, {'abc'[number]}", BASE, 0.99)
    done = call(
        "remember_batch",
        items=[
            {"text": "green tea, a"},
            {"text": "green tea, b", "source_provider": "own", "dedup_policy": "ask"},
            {"text": "green tea, c", "source_provider": " ", "dedup_policy": None},
        ],
        source_provider="import",
        dedup_policy="insert",
    )
    assert ["near_duplicates" in one for one in done["results"]] == [False, True, False]
    providers = [call("get_memory", id=one["memory_id"])["memory"]["source_provider"] for one in done["results"]]
    assert providers == ["import", "own", "import"]


def test_null_means_left_out(call: Call) -> None:
    optional = ("tags", "source_provider", "importance", "capture_mode", "session_id", "dedup_policy", "expires_at", "last_confirmed_at")
    done = call("remember_batch", items=[{"text": "a fact", **dict.fromkeys(optional)}], source_provider=None, dedup_policy=None)
    assert done["summary"]["inserted"] == 1


BAD_ITEMS: list[tuple[Any, str]] = [
    ({}, "text"),
    ({"text": None}, "text"),
    ({"text": "  "}, "text"),
    ({"text": "x" * 16001}, "16000"),
    ({"text": 5}, "text"),
    ({"text": "a\0b"}, "NUL"),
    ({"text": "a\ud800b"}, "surrogate"),
    ({"text": "x", "tags": ["a\0"]}, "tags[0]"),
    ({"text": "x", "session_id": "\udfff"}, "session_id"),
    ({"text": "x", "tags": [f"t{n}" for n in range(17)]}, "tags"),
    ({"text": "x", "tags": ["t" * 65]}, "tags"),
    ({"text": "x", "importance": 1.01}, "importance"),
    ({"text": "x", "importance": -0.01}, "importance"),
    ({"text": "x", "capture_mode": "guessed"}, "capture_mode"),
    ({"text": "x", "session_id": "s" * 257}, "session_id"),
    ({"text": "x", "dedup_policy": "merge"}, "dedup_policy"),
    ({"text": "x", "expires_at": "tomorrow"}, "expires_at"),
    ({"text": "x", "last_confirmed_at": "2926-01-01T00:00:00Z"}, "last_confirmed_at"),
    ({"text": "x", "supersedes": [1]}, "supersedes"),
    ({"text": "x", "unknown": 1}, "unknown"),
    ("a text", "object"),
    (None, "object"),
    ([], "object"),
    (5, "object"),
]


def test_a_bad_item_fails_alone(call: Call) -> None:
    items = [item for number, (bad, _) in enumerate(BAD_ITEMS) for item in (bad, {"text": f"fact {number}", "dedup_policy": "insert"})]
    done = call("remember_batch", items=items)
    assert codes(done) == ["INVALID_INPUT", ""] * len(BAD_ITEMS)
    assert [one["input_index"] for one in done["results"]] == list(range(len(items)))
    for (_, named), failed in zip(BAD_ITEMS, done["results"][::2], strict=True):
        assert named in failed["error"]["message"], failed
    assert done["summary"]["inserted"] == call("memory_stats")["total"] == len(BAD_ITEMS)


def test_limits_of_an_item_are_inclusive(call: Call) -> None:
    items = [
        {"text": "x" * 16000},
        {"text": "tags", "tags": [f"t{n}" for n in range(16)]},
        {"text": "tag", "tags": ["t" * 64]},
        {"text": "session", "session_id": "s" * 256},
        {"text": "least", "importance": 0},
        {"text": "most", "importance": 1},
    ]
    assert call("remember_batch", items=items)["summary"]["inserted"] == len(items)


@pytest.mark.parametrize(("size", "fits"), [(1, True), (199, True), (200, True), (201, False)])
def test_size(call: Call, refused: Call, size: int, fits: bool) -> None:
    items = [{"text": f"fact {number}", "dedup_policy": "insert"} for number in range(size)]
    if fits:
        assert call("remember_batch", items=items)["summary"]["inserted"] == size
    else:
        error = refused("remember_batch", items=items)
        assert error["code"] == "INVALID_INPUT"
        assert "200" in error["message"]
        assert "201" in error["message"]
    assert call("memory_stats")["total"] == (size if fits else 0)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "items"),
        ({"items": None}, "items"),
        ({"items": []}, "items"),
        ({"items": {"text": "x"}}, "items"),
        ({"items": "x"}, "items"),
        ({"items": [{"text": "x"}], "dedup_policy": "merge"}, "dedup_policy"),
        ({"items": [{"text": "x"}], "source_provider": 5}, "source_provider"),
        ({"items": [{"text": "x"}], "source_provider": "a\0"}, "NUL"),
        ({"items": [{"text": "x"}], "supersedes": [1]}, "supersedes"),
    ],
)
def test_refused_as_a_whole(call: Call, refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("remember_batch", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
    assert call("memory_stats")["total"] == 0


def test_the_model_is_asked_once(call: Call, embedder: WordEmbedder) -> None:
    call("remember", text="known")
    asked = embedder.batches
    call("remember_batch", items=[{"text": f"fact {number}"} for number in range(50)] + [{"text": "known"}, {"text": ""}])
    assert embedder.batches == asked + 1
    call("remember_batch", items=[{"text": "known"}, {"text": "fact 7"}, {"text": SECRET}])
    assert embedder.batches == asked + 1


def test_embedding_error_fails_the_batch(call: Call, refused: Call, embedder: WordEmbedder) -> None:
    """The model is asked once for all of them, so its fault is everyone's."""
    embedder.fails = EmbeddingError("The model is busy.", detail="503 overloaded")
    error = refused("remember_batch", items=[{"text": "one"}, {"text": "two"}])
    assert error == {"code": "EMBEDDING_ERROR", "message": "The model is busy.", "detail": "503 overloaded"}
    assert call("memory_stats")["total"] == 0


def test_the_same_text_twice_in_one_batch(call: Call) -> None:
    done = call("remember_batch", items=[{"text": "Anna likes tea"}, {"text": "anna  LIKES tea"}, {"text": "Anna likes tea"}])
    assert [one["message"] for one in done["results"]] == ["Ok", "Already remembered", "Already remembered"]
    assert len({one["memory_id"] for one in done["results"]}) == 1
    assert [one["near_duplicates"] for one in done["results"]] == [[], [], []]
    assert done["summary"] == {"total": 3, "succeeded": 3, "failed": 0, "inserted": 1, "duplicates": 2, "errors": 0}
    assert call("memory_stats")["total"] == 1


def test_earlier_items_count_as_being_there(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("anna drinks green tea for breakfast", BASE, 0.97)
    embedder.place("anna has green tea", BASE, 0.85)
    done = call(
        "remember_batch",
        items=[
            {"text": BASE, "tags": ["food"]},
            {"text": "anna drinks green tea for breakfast", "dedup_policy": "skip_if_near"},
            {"text": "anna has green tea", "tags": ["food"]},
        ],
    )
    first, skipped, third = done["results"]
    assert (skipped["memory_id"], skipped["message"]) == (first["memory_id"], "Already remembered")
    assert [match["id"] for match in skipped["near_duplicates"]] == [first["memory_id"]]
    assert third["near_duplicates"] == []
    assert [match["id"] for match in third["potential_conflicts"]] == [first["memory_id"]]
    assert done["summary"]["duplicates"] == 1


def test_tombstones_are_reported(call: Call) -> None:
    gone = call("remember", text=BASE)["memory_id"]
    call("forget", id=gone, reason="She drinks coffee")
    (stored,) = call("remember_batch", items=[{"text": BASE}])["results"]
    (corrected,) = stored["previously_corrected"]
    assert (corrected["id"], corrected["forget_reason"]) == (gone, "She drinks coffee")


def test_one_entry_that_can_be_undone(call: Call, memories: Memories, person: Actor) -> None:
    known = call("remember", text="Bob is tall")["memory_id"]
    call("remember_batch", items=[{"text": "Anna likes tea"}, {"text": "Bob is tall"}, {"text": SECRET}, {"text": "Carl sails"}])
    newest, before = memories.journal(person.owner_id, 10)
    assert (newest.tool, newest.actor, len(newest.rows)) == ("remember_batch", "test client", 2)
    assert before.tool == "remember"
    memories.undo(person, newest.id)
    assert [memory["id"] for memory in call("list_memories")["memories"]] == [known]
    memories.undo(person, last_entry(memories, person.owner_id))
    assert len(call("list_memories")["memories"]) == 3
    assert call("recall", query="Carl sails", limit=1)["matches"][0]["text"] == "Carl sails"


def test_two_batches_in_opposite_order(toolset: MemoriesToolset, call: Call, owner: int) -> None:
    """Neither waits for the other for ever, and no text is stored twice."""
    items = [{"text": f"fact {number}", "dedup_policy": "insert"} for number in range(100)]
    done: list[dict[str, Any]] = []

    def store(part: list[dict[str, str]]) -> None:
        done.append(toolset.call("remember_batch", {"items": part}, Caller(owner, "test client")).payload)

    threads = [threading.Thread(target=store, args=[part]) for part in (items, items[::-1], items, items[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one["summary"]["failed"] for one in done] == [0, 0, 0, 0]
    assert sum(one["summary"]["inserted"] for one in done) == call("memory_stats")["total"] == 100
