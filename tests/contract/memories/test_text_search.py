"""text_search: a piece of the text, to the letter but for case."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.memories.support import Call

TEXTS = ["100% sure", "100 percent", "snake_case", "snakeXcase", r"C:\Users\Anna", "C:/Users/Anna", "it's 'quoted'", "a  b", "line\nbreak"]


@pytest.fixture
def stocked(call: Call) -> Call:
    for text in TEXTS:
        call("remember", text=text, dedup_policy="insert")
    return call


def texts(found: dict[str, Any]) -> list[str]:
    return [memory["text"] for memory in found["memories"]]


def test_shape(call: Call) -> None:
    stored = call("remember", text="Anna likes tea", tags=["food"])["memory_id"]
    found = call("text_search", text="likes")
    assert list(found) == ["ok", "memories"]
    assert found["memories"] == call("list_memories")["memories"]
    assert found["memories"][0]["id"] == stored
    assert call("text_search", text="dislikes") == {"ok": True, "memories": []}


@pytest.mark.parametrize(
    ("piece", "found"),
    [
        ("%", ["100% sure"]),
        ("0%", ["100% sure"]),
        ("0%s", []),
        ("_", ["snake_case"]),
        ("E_C", ["snake_case"]),
        ("\\", [r"C:\Users\Anna"]),
        (r"\users\a", [r"C:\Users\Anna"]),
        (r"\%", []),
        ("\\\\", []),
        ("'", ["it's 'quoted'"]),
        ("a  b", ["a  b"]),
        ("a b", []),
        ("E\nB", ["line\nbreak"]),
        ("x", ["snakeXcase"]),
        (" sure", ["100% sure"]),
        ("sure ", []),
        ("%(owner)s", []),
        ("{}", []),
    ],
)
def test_to_the_letter(stocked: Call, piece: str, found: list[str]) -> None:
    assert texts(stocked("text_search", text=piece)) == found


@pytest.mark.parametrize(
    ("stored", "piece"),
    [
        ("Anna Likes TEA", "aNNA lIKES"),
        ("ÄRZTE IN KÖLN", "ärzte in köln"),
        ("Любит Чай", "ЛЮБИТ чай"),
        ("ΣΟΦΙΑ", "σοφια"),
        ("東京に住む", "京に"),
        ("party 🎉 time", "🎉"),
        ("हिन्दी", "न्दी"),
        ("ab", "B"),
    ],
)
def test_case_in_every_script(call: Call, stored: str, piece: str) -> None:
    call("remember", text=stored)
    call("remember", text="something else")
    assert texts(call("text_search", text=piece)) == [stored]


def test_newest_first_default_and_cap(call: Call) -> None:
    for number in range(55):
        call("remember", text=f"fact {number:02}", dedup_policy="insert")
    newest = [f"fact {number:02}" for number in range(54, -1, -1)]
    assert texts(call("text_search", text="FACT")) == newest[:20]
    assert texts(call("text_search", text="fact", limit=None)) == newest[:20]
    for limit, shown in ((1, 1), (49, 49), (50, 50), (51, 50), (10**12, 50), (2**80, 50), (3.0, 3)):
        assert texts(call("text_search", text="fact", limit=limit)) == newest[:shown]


def test_forgotten_and_expired_ones_stay_away(call: Call) -> None:
    call("forget", id=call("remember", text="tea, gone")["memory_id"])
    call("remember", text="tea, late", expires_at="2020-01-01T00:00:00Z")
    call("remember", text="tea, here")
    assert texts(call("text_search", text="tea")) == ["tea, here"]


def test_a_piece_as_long_as_a_text(call: Call) -> None:
    call("remember", text="é" * 16000)
    assert len(texts(call("text_search", text="É" * 16000))) == 1


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "text"),
        ({"text": None}, "text"),
        ({"text": ""}, "text"),
        ({"text": "  "}, "text"),
        ({"text": 5}, "text"),
        ({"text": "a\0"}, "NUL"),
        ({"text": "\ud800"}, "surrogate"),
        ({"text": "x" * 16001}, "16000"),
        ({"text": "x", "limit": 0}, "limit"),
        ({"text": "x", "limit": -1}, "limit"),
        ({"text": "x", "limit": 1.5}, "limit"),
        ({"text": "x", "limit": True}, "limit"),
        ({"text": "x", "offset": 1}, "offset"),
    ],
)
def test_refused(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("text_search", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
