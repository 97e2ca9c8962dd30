"""remember: storing, duplicates, corrections, links to older memories, and every limit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.memory.ports import EmbeddingError
from tests.support import WordEmbedder

Call = Callable[..., dict[str, Any]]
BASE = "anna drinks green tea at breakfast"


def test_stored_with_everything(call: Call) -> None:
    stored = call(
        "remember",
        text="  My son Colby lives in Los Angeles.  ",
        tags=["Family", "kin"],
        source_provider="claude",
        importance=0.8,
        capture_mode="explicit",
        session_id="s1",
        expires_at="2030-01-01T00:00:00+02:00",
        last_confirmed_at="2026-01-01T12:00:00Z",
    )
    assert stored == {"ok": True, "memory_id": stored["memory_id"], "message": "Ok", "near_duplicates": []}
    memory = call("get_memory", id=stored["memory_id"])["memory"]
    assert memory["text"] == "My son Colby lives in Los Angeles."
    assert memory["tags"] == ["family"]
    assert (memory["source_provider"], memory["importance"], memory["salience"]) == ("claude", 0.8, 0.8)
    assert (memory["capture_mode"], memory["session_id"], memory["keep"]) == ("explicit", "s1", "U")
    assert (memory["expires_at"], memory["last_confirmed_at"]) == ("2029-12-31T22:00:00Z", "2026-01-01T12:00:00Z")


def test_defaults(call: Call) -> None:
    memory = call("get_memory", id=call("remember", text="a fact")["memory_id"])["memory"]
    assert memory["last_confirmed_at"] == memory["created_at"] == memory["updated_at"]
    assert (memory["importance"], memory["tags"], memory["capture_mode"], memory["source_provider"]) == (0.5, [], None, None)


def test_null_means_left_out(call: Call) -> None:
    optional = ("tags", "source_provider", "importance", "capture_mode", "session_id", "dedup_policy", "expires_at", "last_confirmed_at")
    assert call("remember", text="a fact", **dict.fromkeys(optional), supersedes=None, downweights=None)["message"] == "Ok"


def test_same_text_again(call: Call, embedder: WordEmbedder) -> None:
    first = call("remember", text="Anna likes tea")
    calls = embedder.calls
    again = call("remember", text="  anna   LIKES tea ", dedup_policy="insert")
    assert again == {"ok": True, "memory_id": first["memory_id"], "message": "Already remembered"}
    assert embedder.calls == calls


def test_same_text_after_forgetting_is_new(call: Call) -> None:
    first = call("remember", text="Anna likes tea")["memory_id"]
    call("forget", id=first, reason="wrong")
    again = call("remember", text="Anna likes tea")
    assert again["memory_id"] > first
    (corrected,) = again["previously_corrected"]
    assert (corrected["id"], corrected["forget_reason"], corrected["score"]) == (first, "wrong", 1.0)


@pytest.mark.parametrize(("cosine", "near"), [(0.91, True), (0.89, False)])
def test_near_duplicates_from_090(call: Call, embedder: WordEmbedder, cosine: float, near: bool) -> None:
    first = call("remember", text=BASE)["memory_id"]
    embedder.place("anna has green tea for breakfast", BASE, cosine)
    stored = call("remember", text="anna has green tea for breakfast")
    assert stored["message"] == "Ok"
    assert [match["id"] for match in stored["near_duplicates"]] == ([first] if near else [])
    if near:
        assert stored["near_duplicates"][0]["score"] == pytest.approx(cosine, abs=0.002)


def test_skip_if_near(call: Call, embedder: WordEmbedder) -> None:
    first = call("remember", text=BASE)["memory_id"]
    embedder.place("anna drinks green tea for breakfast", BASE, 0.97)
    skipped = call("remember", text="anna drinks green tea for breakfast", dedup_policy="skip_if_near")
    assert (skipped["memory_id"], skipped["message"]) == (first, "Already remembered")
    assert [match["id"] for match in skipped["near_duplicates"]] == [first]
    assert call("memory_stats")["total"] == 1


@pytest.mark.parametrize(
    "different", ["anna drinks 2 green tea at breakfast", "Bob drinks green tea at breakfast", "anna never drinks green tea"]
)
def test_skip_if_near_never_loses_a_different_fact(call: Call, embedder: WordEmbedder, different: str) -> None:
    first = call("remember", text=BASE)["memory_id"]
    embedder.place(different, BASE, 0.99)
    stored = call("remember", text=different, dedup_policy="skip_if_near")
    assert stored["message"] == "Ok"
    assert stored["memory_id"] != first
    assert [match["id"] for match in stored["near_duplicates"]] == [first]


def test_insert_does_not_look(call: Call, embedder: WordEmbedder) -> None:
    call("remember", text=BASE)
    embedder.place("anna has tea", BASE, 0.99)
    assert "near_duplicates" not in call("remember", text="anna has tea", dedup_policy="insert")


def test_a_short_fact_is_no_duplicate_of_a_long_note_that_contains_it(call: Call, embedder: WordEmbedder) -> None:
    embedder.place("a long note", BASE, 0.99, ("trains to rome", 0.99))
    call("remember", text="a long note")
    assert call("remember", text=BASE)["near_duplicates"] == []


def test_at_most_five_near_duplicates(call: Call, embedder: WordEmbedder) -> None:
    for number in range(7):
        embedder.place(f"copy {number}", BASE, 0.999)
        call("remember", text=f"copy {number}", dedup_policy="insert")
    assert len(call("remember", text=BASE)["near_duplicates"]) == 5


def test_potential_conflicts_need_a_shared_tag(call: Call, embedder: WordEmbedder) -> None:
    tagged = call("remember", text=BASE, tags=["food"])["memory_id"]
    embedder.place("anna hates green tea", BASE, 0.85)
    embedder.place("anna loves green tea", BASE, 0.85)
    assert "potential_conflicts" not in call("remember", text="anna hates green tea", tags=["travel"])
    stored = call("remember", text="anna loves green tea", tags=["Food"])
    assert [match["id"] for match in stored["potential_conflicts"]] == [tagged]


def test_supersedes(call: Call) -> None:
    old, other = call("remember", text="Anna lives in Rome")["memory_id"], call("remember", text="Bob is tall")["memory_id"]
    stored = call("remember", text="Anna moved to Oslo", supersedes=[old, 10**15, old])
    assert stored["superseded"] == [{"id": old, "status": "superseded"}, {"id": 10**15, "status": "not_found"}]
    tombstone = call("get_memory", id=old)["memory"]
    assert tombstone["replaced_by_id"] == stored["memory_id"]
    assert tombstone["forget_reason"] == f"superseded by memory {stored['memory_id']}"
    assert call("get_memory", id=other)["memory"]["deleted_at"] is None


def test_supersedes_also_where_the_text_was_there_already(call: Call) -> None:
    old, new = call("remember", text="Anna lives in Rome")["memory_id"], call("remember", text="Anna moved to Oslo")["memory_id"]
    again = call("remember", text="Anna moved to Oslo", supersedes=[old, new])
    assert (again["message"], again["memory_id"]) == ("Already remembered", new)
    assert again["superseded"] == [{"id": old, "status": "superseded"}]


def test_downweights(call: Call) -> None:
    old = call("remember", text="Anna lives in Rome")["memory_id"]
    gone = call("remember", text="Bob is tall")["memory_id"]
    call("forget", id=gone)
    stored = call("remember", text="Anna works in Oslo", downweights=[old, gone])
    assert stored["downweighted"] == [{"id": old, "status": "downweighted"}, {"id": gone, "status": "not_found"}]
    memory = call("get_memory", id=old)["memory"]
    assert memory["salience"] == pytest.approx(0.95 * 0.5 - 0.3)
    assert memory["use_count"] == 1


def test_expired_on_arrival_is_stored_and_not_recalled(call: Call) -> None:
    stored = call("remember", text="Anna is in Rome today", expires_at="2020-01-01T00:00:00Z")
    assert call("get_memory", id=stored["memory_id"])["memory"]["expires_at"] == "2020-01-01T00:00:00Z"
    assert call("recall", query="Anna Rome")["matches"] == []
    assert call("memory_stats")["expired"] == 1


def test_embedding_errors(call: Call, refused: Call, embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model is busy.", detail="503 overloaded")
    assert refused("remember", text="a fact") == {"code": "EMBEDDING_ERROR", "message": "The model is busy.", "detail": "503 overloaded"}
    embedder.fails = None
    assert call("memory_stats")["total"] == 0


def test_secrets(call: Call, refused: Call) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3
    error = refused("remember", text=f"my token is {secret}")
    assert error["code"] == "SECRET_REJECTED"
    assert secret not in error["message"]
    assert call("memory_stats")["total"] == 0


now = datetime.now(UTC)

ACCEPTED: list[dict[str, Any]] = [
    {"text": "x" * 16000},
    {"text": " " * 100 + "x" * 16000},
    {"text": "日" * 16000},
    {"text": "🙂"},
    {"importance": 0},
    {"importance": 1},
    {"importance": 0.0},
    {"session_id": "s" * 256},
    {"tags": [f"t{n}" for n in range(16)]},
    {"tags": ["t" * 64]},
    {"tags": []},
    {"expires_at": (now + timedelta(days=36524)).isoformat()},
    {"last_confirmed_at": (now + timedelta(minutes=4)).isoformat()},
    {"last_confirmed_at": "1970-01-01T00:00:00.123456Z"},
    {"last_confirmed_at": "2026-05-17T14:00:00+05:30"},
    {"capture_mode": "inferred"},
]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"text": None}, "text"),
    ({"text": ""}, "text"),
    ({"text": " \n\t "}, "text"),
    ({"text": "x" * 16001}, "16000"),
    ({"text": 5}, "text"),
    ({"text": ["x"]}, "text"),
    ({"text": "a\0b"}, "NUL"),
    ({"text": "a\ud800b"}, "surrogate"),
    ({"tags": "family"}, "tags"),
    ({"tags": [5]}, "tags[0]"),
    ({"tags": [f"t{n}" for n in range(17)]}, "tags"),
    ({"tags": ["t" * 65]}, "tags"),
    ({"tags": ["a\0"]}, "tags[0]"),
    ({"importance": -0.001}, "importance"),
    ({"importance": 1.001}, "importance"),
    ({"importance": "0.5"}, "importance"),
    ({"importance": True}, "importance"),
    ({"importance": float("nan")}, "importance"),
    ({"importance": float("inf")}, "importance"),
    ({"capture_mode": "Explicit"}, "capture_mode"),
    ({"capture_mode": "guessed"}, "capture_mode"),
    ({"session_id": "s" * 257}, "session_id"),
    ({"dedup_policy": "merge"}, "dedup_policy"),
    ({"dedup_policy": "ASK"}, "dedup_policy"),
    ({"expires_at": (now + timedelta(days=36530)).isoformat()}, "expires_at"),
    ({"expires_at": "tomorrow"}, "expires_at"),
    ({"expires_at": "2026-01-01"}, "expires_at"),
    ({"expires_at": "2026-01-01T00:00:00"}, "expires_at"),
    ({"expires_at": "2026-13-01T00:00:00Z"}, "expires_at"),
    ({"expires_at": "2026-02-30T00:00:00Z"}, "expires_at"),
    ({"expires_at": "0001-01-01T00:00:00+23:59"}, "expires_at"),
    ({"expires_at": 1767225600}, "expires_at"),
    ({"expires_at": ""}, "expires_at"),
    ({"last_confirmed_at": (now + timedelta(hours=1)).isoformat()}, "last_confirmed_at"),
    ({"supersedes": 5}, "supersedes"),
    ({"supersedes": ["5"]}, "supersedes[0]"),
    ({"supersedes": [1.5]}, "supersedes[0]"),
    ({"downweights": {}}, "downweights"),
    ({"unknown": 1}, "unknown"),
    ({"Text": "x"}, "Text"),
]


@pytest.mark.parametrize("given", ACCEPTED)
def test_at_the_limits(call: Call, given: dict[str, Any]) -> None:
    assert call("remember", **({"text": "a fact"} | given))["message"] == "Ok"


@pytest.mark.parametrize(("given", "named"), REFUSED)
def test_beyond_the_limits(call: Call, refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("remember", **({"text": "a fact"} | given))
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
    assert len(error["message"]) < 300
    assert call("memory_stats")["total"] == 0


def test_input_is_never_echoed(refused: Call) -> None:
    marker = "zanzibar" * 10
    for given in ({"text": marker, "importance": marker}, {"text": marker, "dedup_policy": marker}, {"text": marker + "\0"}):
        assert marker not in refused("remember", **given)["message"]


def test_a_parameter_without_a_name(refused: Call) -> None:
    assert refused("remember", text="a fact", **{"": 1})["message"] == "There is no parameter without a name."


def test_an_unknown_parameter_is_shown_short_and_printable(refused: Call) -> None:
    message = refused("remember", text="a fact", **{"x\n" * 500: 1})["message"]
    assert "\n" not in message
    assert len(message) < 100
