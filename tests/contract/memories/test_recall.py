"""recall and search_memory: order, filters, score, limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.memory.ports import EmbeddingError
from tests.support import WordEmbedder

Call = Callable[..., dict[str, Any]]
KEYS = {
    "id",
    "text",
    "score",
    "created_at",
    "updated_at",
    "last_confirmed_at",
    "tags",
    "source_provider",
    "capture_mode",
    "importance",
    "salience",
    "use_count",
    "keep",
}


@pytest.mark.parametrize("tool", ["recall", "search_memory"])
def test_shape(call: Call, tool: str) -> None:
    stored = call("remember", text="Anna likes tea", tags=["food"])["memory_id"]
    found = call(tool, query="what does Anna drink, tea?")
    assert list(found) == ["ok", "query", "matches"]
    assert found["query"] == "what does Anna drink, tea?"
    (match,) = found["matches"]
    assert set(match) == KEYS
    assert match["id"] == stored
    assert 0 < match["score"] < 1


def test_both_names_answer_alike(call: Call) -> None:
    for number in range(12):
        call("remember", text=f"Anna likes tea number {number}", tags=["food"])
    arguments = {"query": "tea Anna 7", "limit": 5, "min_score": 0.1, "tags": ["food"]}
    assert call("recall", **arguments) == call("search_memory", **arguments)


def test_limit_default_and_cap(call: Call) -> None:
    for number in range(60):
        call("remember", text=f"Anna likes tea number {number}", dedup_policy="insert")
    assert len(call("recall", query="Anna tea")["matches"]) == 8
    assert len(call("recall", query="Anna tea", limit=1)["matches"]) == 1
    assert len(call("recall", query="Anna tea", limit=50)["matches"]) == 50
    assert len(call("recall", query="Anna tea", limit=51)["matches"]) == 50
    assert len(call("recall", query="Anna tea", limit=10**12)["matches"]) == 50
    assert len(call("recall", query="Anna tea", limit=3.0)["matches"]) == 3


def test_min_score_is_applied_before_the_limit(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("close", "the question", 0.9)
    embedder.place("far question", "the question", 0.3)
    call("remember", text="close")
    call("remember", text="far question")
    assert [match["text"] for match in call("recall", query="the question", min_score=0.5, limit=1)["matches"]] == ["close"]
    assert call("recall", query="the question", min_score=1.0)["matches"] == []
    assert len(call("recall", query="the question", min_score=0)["matches"]) == 2


def test_tags_match_any_in_any_spelling(call: Call) -> None:
    home = call("remember", text="Anna paints walls", tags=["Home Office"])["memory_id"]
    kin = call("remember", text="Anna paints cats", tags=["kin"])["memory_id"]
    call("remember", text="Anna paints boats")
    ids = [match["id"] for match in call("recall", query="Anna paints", tags=["home_office", "Relatives"])["matches"]]
    assert sorted(ids) == [home, kin]
    assert call("recall", query="Anna paints", tags=["100%", "_", "\\"])["matches"] == []
    assert len(call("recall", query="Anna paints", tags=[])["matches"]) == 3


def test_an_exact_identifier_comes_first_whatever_its_cosine(call: Call, embedder: WordEmbedder) -> None:
    for number in range(30):
        text = f"order number {number} was paid"
        embedder.place(text, "where is INV-2024-0815", 0.7)
        call("remember", text=text, dedup_policy="insert")
    embedder.place("inv-2024-0815 went to the lawyer", "where is INV-2024-0815", 0.05)
    call("remember", text="inv-2024-0815 went to the lawyer")
    found = call("recall", query="where is INV-2024-0815", limit=5)["matches"]
    assert "inv-2024-0815 went to the lawyer" in [match["text"] for match in found]


def test_forgotten_and_expired_ones_stay_away(call: Call) -> None:
    gone = call("remember", text="Anna likes tea")["memory_id"]
    call("forget", id=gone)
    call("remember", text="Anna likes milk", expires_at="2020-01-01T00:00:00Z")
    assert call("recall", query="Anna likes tea milk")["matches"] == []


def test_score_is_the_raw_cosine_whatever_was_learned(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("first", "the query", 0.6)
    embedder.place("second", "the query", 0.5)
    call("remember", text="first", importance=0.0)
    call("remember", text="second", importance=1.0)
    found = call("recall", query="the query")["matches"]
    assert [match["text"] for match in found] == ["second", "first"]
    assert [match["score"] for match in found] == [pytest.approx(0.5, abs=0.002), pytest.approx(0.6, abs=0.002)]


def test_one_long_memory_does_not_crowd_out_the_others(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("long", "the query", 0.9, *[("the query", 0.9)] * 250)
    call("remember", text="long")
    for number in range(20):
        embedder.place(f"short {number}", "the query", 0.5)
        call("remember", text=f"short {number}", dedup_policy="insert")
    found = call("recall", query="the query", limit=21)["matches"]
    assert len(found) == 21
    assert found[0]["text"] == "long"


@pytest.mark.parametrize("query", ["' OR 1=1 --", "%", "\\", "{}", "%s %(owner)s", "🙂🙃", "日本語", "a" * 16000, "!!!", "\u202e\u200b x"])
def test_odd_queries(call: Call, query: str) -> None:
    call("remember", text="Anna likes tea")
    assert isinstance(call("recall", query=query)["matches"], list)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "   "}, "query"),
        ({"query": 5}, "query"),
        ({"query": "a\0"}, "NUL"),
        ({"query": "a" * 16001}, "16000"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": -1}, "limit"),
        ({"query": "x", "limit": 2.5}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "min_score": -0.01}, "min_score"),
        ({"query": "x", "min_score": 1.01}, "min_score"),
        ({"query": "x", "min_score": "high"}, "min_score"),
        ({"query": "x", "tags": "family"}, "tags"),
        ({"query": "x", "offset": 1}, "offset"),
    ],
)
def test_refused(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("recall", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


def test_embedding_error(call: Call, refused: Call, embedder: WordEmbedder) -> None:
    call("remember", text="Anna likes tea")
    embedder.fails = EmbeddingError("The model is gone.")
    assert refused("recall", query="tea")["code"] == "EMBEDDING_ERROR"
