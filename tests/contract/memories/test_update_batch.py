"""update_memory_batch: each item by itself, one call of the model, one operation."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor
from server.memory.ports import EmbeddingError
from server.store.database import Database
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset
from tests.contract.memories.support import SECRET, UNKNOWN, Call, lock, shown, snapshot
from tests.support import WordEmbedder


@pytest.fixture
def ids(call: Call) -> list[int]:
    """Three memories."""
    return [call("remember", text=text, tags=["food"])["memory_id"] for text in ("Anna likes tea", "Bob is tall", "Carl sails")]


def test_shape(call: Call, ids: list[int]) -> None:
    done = call(
        "update_memory_batch", items=[{"id": ids[0], "tags": ["Kin"]}, {"id": UNKNOWN, "tags": []}, {"id": ids[1], "text": "Bob runs"}]
    )
    assert done == {
        "ok": True,
        "dry_run": False,
        "results": [
            {"input_index": 0, "id": ids[0], "ok": True, "changed_fields": ["tags"], "message": "Ok"},
            {
                "input_index": 1,
                "id": UNKNOWN,
                "ok": False,
                "error": {"code": "NOT_FOUND", "message": f"Memory {UNKNOWN} not found."},
            },
            {"input_index": 2, "id": ids[1], "ok": True, "changed_fields": ["text"], "message": "Ok"},
        ],
        "summary": {"total": 3, "updated": 2, "errors": 1},
    }
    assert call("get_memory", id=ids[0])["memory"]["tags"] == ["family"]
    (match,) = call("recall", query="Bob runs", min_score=0.99)["matches"]
    assert match["id"] == ids[1]


def test_fields_in_fixed_order(call: Call, ids: list[int]) -> None:
    item = {
        "last_confirmed_at": "2026-01-01T00:00:00Z",
        "expires_at": "2030-01-01T00:00:00Z",
        "importance": 0,
        "tags": [],
        "text": "new",
        "id": ids[0],
    }
    (done,) = call("update_memory_batch", items=[item])["results"]
    assert done["changed_fields"] == ["text", "tags", "importance", "expires_at", "last_confirmed_at"]
    memory = call("get_memory", id=ids[0])["memory"]
    assert (memory["text"], memory["tags"], memory["importance"], memory["last_confirmed_at"]) == ("new", [], 0, "2026-01-01T00:00:00Z")


def test_faults_of_items_stay_with_them(call: Call, ids: list[int], database: Database, owner: int) -> None:
    anna, bob, carl = ids
    locked = call("remember", text="Dora swims")["memory_id"]
    gone = call("remember", text="Emil skates")["memory_id"]
    lock(database, owner, locked)
    call("forget", id=gone)
    faults: list[tuple[Any, str, str]] = [
        ({"id": None, "importance": 1}, "INVALID_INPUT", "The id field is required."),
        ({"importance": 1}, "INVALID_INPUT", "The id field is required."),
        ({"id": anna}, "INVALID_INPUT", "At least one of"),
        ({"id": anna, "text": None, "tags": None}, "INVALID_INPUT", "At least one of"),
        ({"id": "5", "importance": 1}, "INVALID_INPUT", "id must be a whole number."),
        ({"id": 1.5, "importance": 1}, "INVALID_INPUT", "id must be a whole number."),
        ({"id": True, "importance": 1}, "INVALID_INPUT", "id must be a whole number."),
        ({"id": 2**200, "importance": 1}, "NOT_FOUND", "not found"),
        ({"id": -1, "importance": 1}, "NOT_FOUND", "not found"),
        ({"id": anna, "importance": 1.01}, "INVALID_INPUT", "importance"),
        ({"id": anna, "text": " "}, "INVALID_INPUT", "text"),
        ({"id": anna, "text": "x" * 16001}, "INVALID_INPUT", "16000"),
        ({"id": anna, "text": "a\0b"}, "INVALID_INPUT", "NUL"),
        ({"id": anna, "text": "a\ud800"}, "INVALID_INPUT", "surrogate"),
        ({"id": anna, "tags": ["a\0"]}, "INVALID_INPUT", "tags[0]"),
        ({"id": anna, "tags": [f"t{n}" for n in range(17)]}, "INVALID_INPUT", "tags"),
        ({"id": anna, "tags": ["t" * 65]}, "INVALID_INPUT", "tags"),
        ({"id": anna, "text": SECRET}, "SECRET_REJECTED", "AWS"),
        ({"id": anna, "text": "BOB is tall"}, "INVALID_INPUT", f"Memory {bob} already says exactly this"),
        ({"id": anna, "last_confirmed_at": "2926-01-01T00:00:00Z"}, "INVALID_INPUT", "last_confirmed_at"),
        ({"id": anna, "expires_at": "2926-01-01T00:00:00Z"}, "INVALID_INPUT", "expires_at"),
        ({"id": anna, "dry_run": True}, "INVALID_INPUT", "dry_run"),
        ({"id": anna, "keep": "N"}, "INVALID_INPUT", "keep"),
        ({"id": gone, "importance": 1}, "NOT_FOUND", "not found"),
        ({"id": locked, "importance": 1}, "PROTECTED", "locked"),
        (anna, "INVALID_INPUT", "object"),
        (None, "INVALID_INPUT", "object"),
    ]
    done = call("update_memory_batch", items=[*(item for item, _, _ in faults), {"id": carl, "importance": 0.9}])
    for (item, code, words), result in zip(faults, done["results"], strict=False):
        assert (result["ok"], result["error"]["code"]) == (False, code), item
        assert words in result["error"]["message"], item
    assert done["results"][-1]["ok"] is True
    assert [result["input_index"] for result in done["results"]] == list(range(len(faults) + 1))
    assert done["summary"] == {"total": len(faults) + 1, "updated": 1, "errors": len(faults)}
    assert call("get_memory", id=anna)["memory"]["text"] == "Anna likes tea"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": None}, "items"),
        ({"items": {"id": 1}}, "items"),
        ({"items": [{"id": 1, "importance": 1}], "dry_run": "yes"}, "dry_run"),
        ({"items": [{"id": 1, "importance": 1}] * 201}, "200"),
    ],
)
def test_refused_as_a_whole(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("update_memory_batch", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


def test_two_hundred(call: Call, ids: list[int]) -> None:
    done = call("update_memory_batch", items=[{"id": ids[0], "importance": number / 200} for number in range(200)])
    assert done["summary"] == {"total": 200, "updated": 200, "errors": 0}
    assert call("get_memory", id=ids[0])["memory"]["importance"] == 199 / 200


def test_the_model_is_asked_once_and_only_for_texts(call: Call, ids: list[int], embedder: WordEmbedder) -> None:
    asked = embedder.batches
    call("update_memory_batch", items=[{"id": one, "tags": ["a"]} for one in ids] + [{"id": ids[0], "text": "Anna likes tea"}])
    assert embedder.batches == asked
    call("update_memory_batch", items=[{"id": ids[0], "text": "one"}, {"id": ids[1], "text": "two"}, {"id": ids[2], "importance": 1}])
    assert embedder.batches == asked + 1


def test_embedding_error_fails_the_texts_alone(call: Call, ids: list[int], embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model is gone.", detail="500")
    done = call("update_memory_batch", items=[{"id": ids[0], "text": "one", "importance": 1}, {"id": ids[1], "importance": 1}])
    failed, fine = done["results"]
    assert failed["error"] == {"code": "EMBEDDING_ERROR", "message": "The model is gone.", "detail": "500"}
    assert fine["ok"] is True
    assert call("get_memory", id=ids[0])["memory"]["importance"] == 0.5
    assert call("get_memory", id=ids[1])["memory"]["importance"] == 1


def test_dry_run(call: Call, ids: list[int], memories: Memories, owner: int, embedder: WordEmbedder) -> None:
    before, asked = snapshot(memories, owner), embedder.batches
    items = [{"id": ids[0], "text": "one"}, {"id": UNKNOWN, "text": "two"}, {"id": ids[1], "text": SECRET}, {"id": ids[2], "tags": ["x"]}]
    done = call("update_memory_batch", items=items, dry_run=True)
    assert done["dry_run"] is True
    assert [result.get("message") for result in done["results"]] == ["Would update", None, None, "Would update"]
    assert done["results"][0]["changed_fields"] == ["text"]
    assert done["summary"] == {"total": 4, "updated": 2, "errors": 2}
    assert snapshot(memories, owner) == before
    assert embedder.batches == asked
    assert memories.journal(owner, 1)[0].tool == "remember"


def test_one_memory_twice(call: Call, ids: list[int]) -> None:
    done = call("update_memory_batch", items=[{"id": ids[0], "text": "first"}, {"id": ids[0], "text": "second", "importance": 1}])
    assert done["summary"]["updated"] == 2
    memory = call("get_memory", id=ids[0])["memory"]
    assert (memory["text"], memory["importance"]) == ("second", 1)
    assert call("recall", query="second", min_score=0.99)["matches"][0]["id"] == ids[0]
    assert call("recall", query="first", min_score=0.5)["matches"] == []


def test_there_and_back(call: Call, ids: list[int]) -> None:
    call("update_memory_batch", items=[{"id": ids[0], "text": "Dora dives"}, {"id": ids[0], "text": "Anna likes tea"}])
    assert call("recall", query="Anna likes tea", min_score=0.99)["matches"][0]["id"] == ids[0]
    assert call("recall", query="Dora dives", min_score=0.5)["matches"] == []


def test_the_same_text_for_two_memories(call: Call, ids: list[int]) -> None:
    done = call("update_memory_batch", items=[{"id": ids[1], "text": "the same"}, {"id": ids[0], "text": "The SAME"}])
    first, second = done["results"]
    assert first["ok"] is True
    assert second["error"]["code"] == "INVALID_INPUT"
    assert "already says exactly this" in second["error"]["message"]
    assert call("get_memory", id=ids[0])["memory"]["text"] == "Anna likes tea"


def test_one_entry_that_can_be_undone(call: Call, ids: list[int], memories: Memories, person: Actor, embedder: WordEmbedder) -> None:
    before = [shown(memory) for memory in snapshot(memories, person.owner_id)]
    call(
        "update_memory_batch",
        items=[
            {"id": ids[2], "text": "Carl rows"},
            {"id": ids[0], "tags": ["a"]},
            {"id": ids[2], "importance": 1},
            {"id": UNKNOWN, "tags": []},
        ],
    )
    entry = memories.journal(person.owner_id, 1)[0]
    assert (entry.tool, sorted(row.row_id for row in entry.rows)) == ("update_memory_batch", [ids[0], ids[2]])
    after = [shown(memory) for memory in snapshot(memories, person.owner_id)]
    asked = embedder.batches
    assert memories.undo(person, entry.id) == [ids[0], ids[2]]
    assert [shown(memory) for memory in snapshot(memories, person.owner_id)] == before
    assert embedder.batches == asked
    assert call("recall", query="Carl sails", min_score=0.99)["matches"][0]["id"] == ids[2]
    memories.undo(person, memories.journal(person.owner_id, 1)[0].id)
    assert [shown(memory) for memory in snapshot(memories, person.owner_id)] == after


def test_relations_are_read_again_after_a_new_text_and_after_its_undo(
    call: Call, ids: list[int], memories: Memories, person: Actor, database: Database, owner: int
) -> None:
    def relate() -> None:
        with database.transaction() as connection:
            key = [owner, ids[0]]
            connection.execute(
                "INSERT INTO memory_relations (owner_id, subject, predicate, object, source_memory_id) VALUES (%s, 'a', 'b', 'c', %s)", key
            )
            connection.execute("UPDATE memories SET relations_extracted = true WHERE owner_id = %s AND id = %s", key)

    def waits() -> bool:
        return not memories.get(owner, ids[0]).relations_extracted and call("query_relations", entity="a")["relations"] == []

    relate()
    call("update_memory_batch", items=[{"id": ids[0], "text": "Anna likes tea", "tags": ["x"]}])
    assert not waits()
    call("update_memory_batch", items=[{"id": ids[0], "text": "Anna likes milk"}])
    assert waits()
    relate()
    memories.undo(person, memories.journal(owner, 1)[0].id)
    assert waits()


def test_two_batches_in_opposite_order(toolset: MemoriesToolset, call: Call, ids: list[int], owner: int) -> None:
    """Rows are locked in one order, so neither waits for the other for ever."""
    items = [{"id": one, "importance": 0.1} for one in ids] * 20
    done: list[bool] = []

    def write(part: list[dict[str, Any]], tool: str) -> None:
        arguments = {"items": part} if tool == "update_memory_batch" else {"memory_ids": [item["id"] for item in part]}
        done.append(toolset.call(tool, arguments, Caller(owner, "test client")).is_error)

    parts = [(items, "update_memory_batch"), (items[::-1], "update_memory_batch"), (items[::-1], "reinforce"), (items, "reinforce")]
    threads = [threading.Thread(target=write, args=part) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [False] * 4
    assert call("get_memory", id=ids[0])["memory"]["use_count"] == 2
