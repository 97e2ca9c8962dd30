"""update_memory."""

from __future__ import annotations

from typing import Any

import pytest

from server.memory.ports import EmbeddingError
from server.store.database import Database
from tests.contract.memories.support import Call, lock
from tests.support import WordEmbedder


@pytest.fixture
def memory_id(call: Call) -> int:
    stored: int = call("remember", text="Anna likes tea", tags=["food"], importance=0.3)["memory_id"]
    return stored


def test_text_is_embedded_again(call: Call, memory_id: int) -> None:
    done = call("update_memory", id=memory_id, text=" Bob drives trucks ")
    assert done == {"ok": True, "memory_id": memory_id, "dry_run": False, "changed_fields": ["text"], "message": "Ok"}
    (match,) = call("recall", query="Bob drives trucks")["matches"]
    assert (match["text"], match["score"]) == ("Bob drives trucks", pytest.approx(1, abs=0.001))
    assert call("recall", query="Anna tea", min_score=0.3)["matches"] == []
    assert match["updated_at"] > match["created_at"]


def test_fields_come_back_in_fixed_order(call: Call, memory_id: int) -> None:
    done = call(
        "update_memory",
        last_confirmed_at="2026-01-01T00:00:00Z",
        expires_at="2030-01-01T00:00:00Z",
        importance=1,
        tags=["a"],
        text="x y",
        id=memory_id,
    )
    assert done["changed_fields"] == ["text", "tags", "importance", "expires_at", "last_confirmed_at"]
    memory = call("get_memory", id=memory_id)["memory"]
    assert (memory["tags"], memory["importance"], memory["expires_at"]) == (["a"], 1, "2030-01-01T00:00:00Z")


def test_without_text_the_model_is_not_asked(call: Call, memory_id: int, embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model is gone.")
    assert call("update_memory", id=memory_id, tags=[])["changed_fields"] == ["tags"]
    assert call("get_memory", id=memory_id)["memory"]["tags"] == []


def test_null_leaves_a_field_as_it_is(call: Call, memory_id: int) -> None:
    call("update_memory", id=memory_id, tags=None, importance=0.9)
    memory = call("get_memory", id=memory_id)["memory"]
    assert (memory["tags"], memory["importance"]) == (["food"], 0.9)


def test_dry_run_changes_nothing(call: Call, memory_id: int, embedder: WordEmbedder) -> None:
    before = call("get_memory", id=memory_id)
    calls = embedder.calls
    assert call("update_memory", id=memory_id, text="new words", dry_run=True) == {
        "ok": True,
        "memory_id": memory_id,
        "dry_run": True,
        "changed_fields": ["text"],
        "message": "Would update",
    }
    assert call("get_memory", id=memory_id) == before
    assert embedder.calls == calls


@pytest.mark.parametrize("dry_run", [False, True])
def test_errors(call: Call, refused: Call, memory_id: int, dry_run: bool, embedder: WordEmbedder) -> None:
    def code(**given: Any) -> str:
        error: str = refused("update_memory", **({"id": memory_id, "dry_run": dry_run} | given))["code"]
        return error

    assert code() == "INVALID_INPUT"
    assert code(id=10**15, importance=1) == "NOT_FOUND"
    assert code(text="AKIA" + "A" * 16) == "SECRET_REJECTED"
    assert code(text="  ") == "INVALID_INPUT"
    assert code(text="x" * 16001) == "INVALID_INPUT"
    assert code(importance=1.01) == "INVALID_INPUT"
    assert code(importance=-0.01) == "INVALID_INPUT"
    assert code(tags=[f"t{n}" for n in range(17)]) == "INVALID_INPUT"
    assert code(tags=["t" * 65]) == "INVALID_INPUT"
    assert code(expires_at="2926-01-01T00:00:00Z") == "INVALID_INPUT"
    assert code(last_confirmed_at="2926-01-01T00:00:00Z") == "INVALID_INPUT"
    assert code(keep="N") == "INVALID_INPUT"
    assert code(id=None, importance=1) == "INVALID_INPUT"
    other = call("remember", text="Bob is tall")["memory_id"]
    assert code(text="bob is TALL") == "INVALID_INPUT"
    call("forget", id=other)
    assert code(id=other, importance=1) == "NOT_FOUND"
    assert call("get_memory", id=memory_id)["memory"]["text"] == "Anna likes tea"


def test_embedding_error_changes_nothing(call: Call, refused: Call, memory_id: int, embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model is gone.")
    assert refused("update_memory", id=memory_id, text="new words", importance=1)["code"] == "EMBEDDING_ERROR"
    memory = call("get_memory", id=memory_id)["memory"]
    assert (memory["text"], memory["importance"]) == ("Anna likes tea", 0.3)


def test_same_text_in_other_case_is_a_change(call: Call, memory_id: int) -> None:
    call("update_memory", id=memory_id, text="anna likes TEA")
    assert call("get_memory", id=memory_id)["memory"]["text"] == "anna likes TEA"


def test_locked(call: Call, refused: Call, memory_id: int, database: Database, owner: int) -> None:
    lock(database, owner, memory_id)
    assert refused("update_memory", id=memory_id, importance=1)["code"] == "PROTECTED"
    assert refused("forget", id=memory_id)["code"] == "PROTECTED"
    assert refused("forget", id=memory_id, hard_delete=True)["code"] == "PROTECTED"
    linked = call("remember", text="Anna moved", supersedes=[memory_id], downweights=[memory_id])
    assert linked["superseded"] == linked["downweighted"] == [] or linked["superseded"] == [{"id": memory_id, "status": "protected"}]
    assert call("get_memory", id=memory_id)["memory"]["keep"] == "Y"
