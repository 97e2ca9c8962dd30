"""confirm and reinforce: what they change, and what recall makes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from server.memory.memories import Memories
from server.memory.model import Actor
from server.memory.ports import EmbeddingError, EmbeddingModel
from server.store.database import Database
from server.store.store import PostgresStore
from tests.contract.memories.support import UNKNOWN, Call, last_entry, lock, shown, snapshot
from tests.support import WordEmbedder


@pytest.fixture
def memory_id(call: Call) -> int:
    """A memory with salience 0.5."""
    stored: int = call("remember", text="Anna likes tea", last_confirmed_at="2025-01-01T00:00:00Z")["memory_id"]
    return stored


def salience(call: Call, memory_id: int) -> float:
    value: float = call("get_memory", id=memory_id)["memory"]["salience"]
    return value


# ---- confirm


def test_confirm(call: Call, memory_id: int, embedder: WordEmbedder) -> None:
    asked = embedder.calls
    began = datetime.now(UTC)
    done = call("confirm", id=memory_id)
    assert list(done) == ["ok", "memory_id", "last_confirmed_at"]
    assert done["memory_id"] == memory_id
    assert done["last_confirmed_at"].endswith("Z")
    assert began <= datetime.fromisoformat(done["last_confirmed_at"]) <= datetime.now(UTC)
    memory = call("get_memory", id=memory_id)["memory"]
    assert memory["last_confirmed_at"] == done["last_confirmed_at"]
    assert (memory["salience"], memory["use_count"]) == (pytest.approx(0.775), 1)  # it counts as positive feedback
    assert memory["updated_at"] > memory["created_at"]
    assert embedder.calls == asked


def test_confirm_is_allowed_on_a_locked_memory(call: Call, memory_id: int, database: Database, owner: int) -> None:
    lock(database, owner, memory_id)
    assert call("confirm", id=memory_id)["ok"] is True


def test_confirm_of_an_expired_memory(call: Call) -> None:
    late = call("remember", text="late", expires_at="2020-01-01T00:00:00Z")["memory_id"]
    assert call("confirm", id=late)["memory_id"] == late


def test_confirm_of_what_is_not_there(call: Call, refused: Call, memory_id: int) -> None:
    call("forget", id=memory_id)
    for one in (memory_id, UNKNOWN, 0, -1, 2**63, 2**200):
        assert refused("confirm", id=one) == {"code": "NOT_FOUND", "message": f"Memory {one} not found."}


@pytest.mark.parametrize("given", [{}, {"id": None}, {"id": "5"}, {"id": 1.5}, {"id": False}, {"id": [1]}, {"id": 1, "text": "x"}])
def test_confirm_refused(refused: Call, given: dict[str, Any]) -> None:
    assert refused("confirm", **given)["code"] == "INVALID_INPUT"


def test_undo_of_confirm(call: Call, memory_id: int, memories: Memories, person: Actor) -> None:
    before = shown(memories.get(person.owner_id, memory_id))
    call("confirm", id=memory_id)
    after = shown(memories.get(person.owner_id, memory_id))
    memories.undo(person, last_entry(memories, person.owner_id))
    assert shown(memories.get(person.owner_id, memory_id)) == before
    memories.undo(person, last_entry(memories, person.owner_id))
    assert shown(memories.get(person.owner_id, memory_id)) == after


# ---- reinforce


def test_the_example_of_the_contract(call: Call, memory_id: int) -> None:
    done = call("reinforce", memory_ids=[memory_id])
    assert done == {
        "ok": True,
        "reinforced": [{"id": memory_id, "salience": pytest.approx(0.775), "use_count": 1, "context_count": 0}],
        "message": "Ok",
    }
    (again,) = call("reinforce", memory_ids=[memory_id], query="what does Anna drink")["reinforced"]
    assert again == {"id": memory_id, "salience": pytest.approx(0.95 * 0.775 + 0.3), "use_count": 2, "context_count": 1}


@pytest.mark.parametrize("delta", [-1, -0.5, 0, 0.25, 1, 1.0, -1.0])
def test_formula(call: Call, memory_id: int, memories: Memories, owner: int, delta: float) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    call("reinforce", memory_ids=[memory_id], delta=delta)
    memory = memories.get(owner, memory_id)
    assert memory.salience == pytest.approx(max(0.0, 0.95 * 0.5 + 0.3 * delta))
    assert (memory.use_count, memory.reward_sum) == (1, delta)
    assert memory.last_used_at is not None
    assert memory.last_used_at > before
    assert (memory.text, memory.importance, memory.deleted_at) == ("Anna likes tea", 0.5, None)


def test_salience_stays_within_0_and_3(call: Call, memory_id: int) -> None:
    for _ in range(60):
        call("reinforce", memory_ids=[memory_id])
    assert salience(call, memory_id) == 3
    for _ in range(20):
        call("reinforce", memory_ids=[memory_id], delta=-1)
    assert salience(call, memory_id) == 0


def test_skipped_repeats_and_order(call: Call, memory_id: int) -> None:
    other = call("remember", text="Bob is tall")["memory_id"]
    gone = call("remember", text="Carl sails")["memory_id"]
    call("forget", id=gone)
    done = call("reinforce", memory_ids=[other, UNKNOWN, memory_id, gone, other, UNKNOWN, -1, 2**200])
    assert [one["id"] for one in done["reinforced"]] == [other, memory_id]
    assert done["skipped"] == [UNKNOWN, gone, -1, 2**200]
    assert [one["use_count"] for one in done["reinforced"]] == [1, 1]
    assert call("reinforce", memory_ids=[UNKNOWN]) == {"ok": True, "reinforced": [], "skipped": [UNKNOWN], "message": "Ok"}


def test_allowed_on_a_locked_memory(call: Call, memory_id: int, database: Database, owner: int) -> None:
    lock(database, owner, memory_id)
    assert call("reinforce", memory_ids=[memory_id], delta=-1)["reinforced"][0]["salience"] == pytest.approx(0.175)


@pytest.mark.parametrize(
    ("given", "code", "named"),
    [
        ({}, "INVALID_INPUT", "memory_ids"),
        ({"memory_ids": None}, "INVALID_INPUT", "memory_ids"),
        ({"memory_ids": []}, "INVALID_INPUT", "memory_ids"),
        ({"memory_ids": 5}, "INVALID_INPUT", "memory_ids"),
        ({"memory_ids": ["5"]}, "INVALID_INPUT", "memory_ids[0]"),
        ({"memory_ids": [1, None]}, "INVALID_INPUT", "memory_ids[1]"),
        ({"memory_ids": [1.5]}, "INVALID_INPUT", "memory_ids[0]"),
        ({"memory_ids": [1], "delta": 1.001}, "INVALID_INPUT", "delta"),
        ({"memory_ids": [1], "delta": -1.001}, "INVALID_INPUT", "delta"),
        ({"memory_ids": [1], "delta": "1"}, "INVALID_INPUT", "delta"),
        ({"memory_ids": [1], "delta": True}, "INVALID_INPUT", "delta"),
        ({"memory_ids": [1], "delta": float("nan")}, "INVALID_INPUT", "delta"),
        ({"memory_ids": [1], "query": 5}, "INVALID_INPUT", "query"),
        ({"memory_ids": [1], "query": " "}, "INVALID_INPUT", "query"),
        ({"memory_ids": [1], "query": "a\0"}, "INVALID_INPUT", "NUL"),
        ({"memory_ids": [1], "query": "q" * 16001}, "INVALID_INPUT", "16000"),
        ({"memory_ids": [1], "id": 1}, "INVALID_INPUT", "id"),
        ({"memory_ids": list(range(1, 202))}, "LIMIT_EXCEEDED", "200"),
    ],
)
def test_reinforce_refused(refused: Call, given: dict[str, Any], code: str, named: str) -> None:
    error = refused("reinforce", **given)
    assert error["code"] == code
    assert named in error["message"]


def test_two_hundred_ids(call: Call, memory_id: int) -> None:
    assert len(call("reinforce", memory_ids=[memory_id, *range(UNKNOWN, UNKNOWN + 199)])["skipped"]) == 199


def test_null_means_left_out(call: Call, memory_id: int) -> None:
    assert call("reinforce", memory_ids=[memory_id], delta=None, query=None)["reinforced"][0]["salience"] == pytest.approx(0.775)


def test_negative_feedback_ignores_the_query(call: Call, memory_id: int, embedder: WordEmbedder) -> None:
    asked = embedder.calls
    for delta in (-1, 0):
        assert call("reinforce", memory_ids=[memory_id], delta=delta, query="anything")["reinforced"][0]["context_count"] == 0
    assert embedder.calls == asked


def test_feedback_counts_even_where_the_model_is_gone(call: Call, memory_id: int, embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model is gone.")
    (done,) = call("reinforce", memory_ids=[memory_id], query="what does Anna drink")["reinforced"]
    assert (done["salience"], done["context_count"]) == (pytest.approx(0.775), 0)


def test_centroid(
    call: Call, memory_id: int, embedder: WordEmbedder, database: Database, memories: Memories, person: Actor, owner: int
) -> None:
    def centroid() -> Any:
        with database.transaction() as connection:
            row = connection.execute(
                """SELECT c.embedding FROM memories m
                     JOIN memory_contexts c ON c.owner_id = m.owner_id AND c.memory_id = m.id AND c.id = m.context_id
                    WHERE m.owner_id = %s AND m.id = %s""",
                [owner, memory_id],
            ).fetchone()
        return None if row is None else np.array(row["embedding"])

    first, second = embedder.embed_query("first question")[0], embedder.embed_query("another thing")[0]
    call("reinforce", memory_ids=[memory_id], query="first question")
    assert np.allclose(centroid(), first, atol=1e-6)
    call("reinforce", memory_ids=[memory_id], query="another thing", delta=0.1)
    assert np.allclose(centroid(), 0.7 * first + 0.3 * second, atol=1e-6)
    call("reinforce", memory_ids=[memory_id], query="a third one", delta=-0.1)
    assert np.allclose(centroid(), 0.7 * first + 0.3 * second, atol=1e-6)
    negative, late, early, _ = [entry.id for entry in memories.journal(owner, 4)]
    memories.undo(person, negative)
    memories.undo(person, late)
    assert np.allclose(centroid(), first, atol=1e-6)
    memories.undo(person, early)
    assert centroid() is None
    redo_early, redo_late, *_ = [entry.id for entry in memories.journal(owner, 4)]
    memories.undo(person, redo_early)
    memories.undo(person, redo_late)
    assert np.allclose(centroid(), 0.7 * first + 0.3 * second, atol=1e-6)


def test_a_context_of_another_model_counts_as_absent(
    call: Call, memory_id: int, embedder: WordEmbedder, store: PostgresStore, owner: int
) -> None:
    for query in ("first question", "another thing"):
        call("reinforce", memory_ids=[memory_id], query=query)
    store.use_model(owner, EmbeddingModel("other words", "1" * 16, embedder.model.dimension))
    assert call("recall", query="Anna tea")["matches"][0]["id"] == memory_id
    assert call("reinforce", memory_ids=[memory_id], query="first question")["reinforced"][0]["context_count"] == 1


def test_salience_overtakes_within_the_formula(call: Call, embedder: WordEmbedder) -> None:
    """0.60 (1 + 0.5 S) against 0.55 (1 + 0.5 S'): S = 0.5 needs S' above 0.73."""
    embedder.place("upper", "the question", 0.60)
    embedder.place("lower", "the question", 0.55)
    call("remember", text="upper", dedup_policy="insert")
    lower = call("remember", text="lower", dedup_policy="insert")["memory_id"]

    def found() -> dict[str, float]:
        return {match["text"]: match["score"] for match in call("recall", query="the question")["matches"]}

    scores = found()
    assert scores == pytest.approx({"upper": 0.60, "lower": 0.55}, abs=0.002)
    assert list(scores) == ["upper", "lower"]
    call("reinforce", memory_ids=[lower], delta=0.5)  # 0.625: not yet
    assert list(found()) == ["upper", "lower"]
    call("reinforce", memory_ids=[lower], delta=1)  # 0.894
    assert list(found()) == ["lower", "upper"]
    assert found() == scores


def test_context_changes_the_order_for_similar_queries_only(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("plans for the trip", "trip plans", 0.95)
    # Both memories stand alike to every query: 0.6 and 0.55.
    for text, cosine in (("upper", 0.60), ("lower", 0.55)):
        embedder.place(text, "trip plans", cosine, ("other topic", cosine))
    call("remember", text="upper", importance=0.5, dedup_policy="insert")
    lower = call("remember", text="lower", importance=0.5, dedup_policy="insert")["memory_id"]

    def order(query: str) -> list[str]:
        return [match["text"] for match in call("recall", query=query)["matches"]]

    for query in ("trip plans", "plans for the trip", "other topic"):
        assert order(query) == ["upper", "lower"]
    # Positive feedback lifts the salience to 0.505 alone, so that the change of order is the context's.
    call("reinforce", memory_ids=[lower], delta=0.1, query="trip plans")
    assert salience(call, lower) == pytest.approx(0.505)
    assert order("trip plans") == ["lower", "upper"]
    assert order("plans for the trip") == ["lower", "upper"]
    assert order("other topic") == ["upper", "lower"]
    matches = {match["text"]: match for match in call("recall", query="trip plans")["matches"]}
    assert matches["lower"]["context_count"] == 1
    assert "context_count" not in matches["upper"]
    assert matches["lower"]["score"] == pytest.approx(0.55, abs=0.002)


def test_one_entry_that_can_be_undone(call: Call, memory_id: int, memories: Memories, person: Actor) -> None:
    other = call("remember", text="Bob is tall")["memory_id"]
    before = [shown(memory) for memory in snapshot(memories, person.owner_id)]
    call("reinforce", memory_ids=[other, memory_id, UNKNOWN], query="what does Anna drink")
    after = [shown(memory) for memory in snapshot(memories, person.owner_id)]
    entry = memories.journal(person.owner_id, 1)[0]
    assert (entry.tool, len(entry.rows)) == ("reinforce", 2)
    memories.undo(person, entry.id)
    assert [shown(memory) for memory in snapshot(memories, person.owner_id)] == before
    assert "context_count" not in call("recall", query="what does Anna drink")["matches"][0]
    memories.undo(person, last_entry(memories, person.owner_id))
    assert [shown(memory) for memory in snapshot(memories, person.owner_id)] == after
