"""find_near_duplicates and find_conflicts: which memories hang together, in which order, and how they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from server.memory.memories import Memories
from tests.contract.memories.support import Call, snapshot
from tests.support import WordEmbedder

BOTH = pytest.mark.parametrize("tool", ["find_near_duplicates", "find_conflicts"])
BASE = "anna drinks green tea"
KEYS = ["id", "text", "created_at", "updated_at", "last_confirmed_at", "tags", "source_provider", "capture_mode", "importance", "salience"]


class Stock:
    """Memories at chosen cosines to each other."""

    def __init__(self, call: Call, embedder: WordEmbedder) -> None:
        self._call = call
        self._embedder = embedder

    def add(self, text: str, near: str | None = None, cosine: float = 1.0, *more: tuple[str, float], **fields: Any) -> int:
        if near is not None:
            self._embedder.place(text, near, cosine, *more)
        stored: int = self._call("remember", text=text, **{"dedup_policy": "insert", "tags": ["x"], **fields})["memory_id"]
        return stored


@pytest.fixture
def stock(call: Call, embedder: WordEmbedder) -> Stock:
    return Stock(call, embedder)


@BOTH
def test_nothing(call: Call, tool: str) -> None:
    threshold = {"find_near_duplicates": 0.92, "find_conflicts": 0.80}[tool]
    nothing = {"ok": True, "threshold": threshold, "groups": [], "summary": {"groups": 0, "pairs": 0}}
    assert call(tool) == call(tool, threshold=None, max_groups=None) == nothing
    call("remember", text="alone", tags=["x"])
    assert call(tool) == nothing


@BOTH
def test_shape(call: Call, stock: Stock, tool: str) -> None:
    low, high = stock.add(BASE), stock.add("anna has green tea", BASE, 0.98)
    done = call(tool)
    (group,) = done["groups"]
    assert list(group) == ["ids", "max_similarity", "pair_count", "memories"]
    assert (group["ids"], group["pair_count"]) == ([low, high], 1)
    assert group["max_similarity"] == pytest.approx(0.98, abs=0.001)
    assert [memory["id"] for memory in group["memories"]] == [low, high]
    assert list(group["memories"][0])[: len(KEYS)] == KEYS
    assert "score" not in group["memories"][0]
    assert done["summary"] == {"groups": 1, "pairs": 1}


@pytest.mark.parametrize(
    ("tool", "cosine", "found"),
    [
        ("find_near_duplicates", 0.922, True),
        ("find_near_duplicates", 0.918, False),
        ("find_conflicts", 0.802, True),
        ("find_conflicts", 0.798, False),
    ],
)
def test_default_thresholds(call: Call, stock: Stock, tool: str, cosine: float, found: bool) -> None:
    stock.add(BASE)
    stock.add("another", BASE, cosine)
    assert call(tool)["summary"]["pairs"] == found


@BOTH
def test_thresholds_at_the_ends(call: Call, stock: Stock, tool: str) -> None:
    stock.add(BASE)
    stock.add("the same to the model", BASE, 1.0)
    stock.add("half way", BASE, 0.503)
    (group,) = call(tool, threshold=1)["groups"]
    assert (group["max_similarity"], len(group["ids"])) == (1.0, 2)
    assert call(tool, threshold=1.0)["threshold"] == 1.0
    assert len(call(tool, threshold=0.5)["groups"][0]["ids"]) == 3


@BOTH
def test_groups_are_transitive(call: Call, stock: Stock, tool: str) -> None:
    """a and b, b and c are similar, a and c are not."""
    a = stock.add(BASE)
    b = stock.add("bbb", BASE, 0.94)
    c = stock.add("ccc", "bbb", 0.94)
    (group,) = call(tool, threshold=0.92)["groups"]
    assert (group["ids"], group["pair_count"]) == ([a, b, c], 2)


@BOTH
def test_strongest_first_and_cut(call: Call, stock: Stock, tool: str) -> None:
    ids = {}
    for name, cosine in (("red", 0.95), ("green", 0.99), ("blue", 0.97)):
        ids[name] = [stock.add(f"{name} base"), stock.add(f"{name} other", f"{name} base", cosine)]
    stock.add("green third", "green base", 0.985)
    groups = call(tool, threshold=0.94)["groups"]
    assert [group["ids"][:2] for group in groups] == [ids["green"], ids["blue"], ids["red"]]
    assert [group["pair_count"] for group in groups] == [3, 1, 1]
    cut = call(tool, threshold=0.94, max_groups=2)
    assert cut["groups"] == groups[:2]
    assert cut["summary"] == {"groups": 2, "pairs": 4}  # of the groups that are shown
    assert call(tool, threshold=0.94, max_groups=1.0)["summary"] == {"groups": 1, "pairs": 3}
    assert call(tool, threshold=0.94, max_groups=500)["groups"] == groups


@BOTH
def test_forgotten_and_expired_ones_are_left_out(call: Call, stock: Stock, tool: str) -> None:
    stock.add(BASE)
    gone = stock.add("gone", BASE, 0.99)
    stock.add("late", BASE, 0.99, expires_at="2020-01-01T00:00:00Z")
    call("forget", id=gone)
    assert call(tool)["groups"] == []


@BOTH
def test_a_long_note_is_no_duplicate_of_a_fact_in_it(call: Call, stock: Stock, tool: str) -> None:
    stock.add(BASE)
    stock.add("a long note", BASE, 0.99, ("trains to rome", 0.99))
    assert call(tool)["groups"] == []
    two = stock.add("the note again", BASE, 0.99, ("trains to rome", 0.99))
    (group,) = call(tool)["groups"]
    assert group["ids"][1] == two


@BOTH
def test_words_that_tell_facts_apart(call: Call, stock: Stock, tool: str) -> None:
    stock.add(BASE)
    stock.add("anna drinks 2 green tea", BASE, 0.99)
    stock.add("bob never drinks green tea", BASE, 0.99)
    (group,) = call(tool)["groups"]
    assert {"2", "never"} <= set(group["differing_words"])


@BOTH
def test_they_change_nothing(call: Call, stock: Stock, tool: str, memories: Memories, owner: int) -> None:
    stock.add(BASE)
    stock.add("another", BASE, 0.99)
    before = snapshot(memories, owner)
    call(tool)
    assert snapshot(memories, owner) == before


def test_a_very_common_text_hangs_together(call: Call, stock: Stock) -> None:
    """More than ten neighbours each."""
    ids = [stock.add(BASE), *(stock.add(f"copy {number}", BASE, 0.995) for number in range(14))]
    (group,) = call("find_near_duplicates")["groups"]
    assert group["ids"] == ids


def test_conflicts_need_a_shared_tag(call: Call, stock: Stock) -> None:
    first = stock.add(BASE, tags=["Family", "food"])
    stock.add("untagged", BASE, 0.99, tags=[])
    stock.add("otherwise tagged", BASE, 0.99, tags=["travel"])
    shared = stock.add("tagged", BASE, 0.85, tags=["kin"])
    (group,) = call("find_conflicts")["groups"]
    assert group["ids"] == [first, shared]
    (near,) = call("find_near_duplicates", threshold=0.8)["groups"]
    assert len(near["ids"]) == 4


def test_nearer_memories_without_the_tag_hide_no_conflict(call: Call, stock: Stock) -> None:
    first = stock.add(BASE, tags=["home"])
    for number in range(14):
        stock.add(f"copy {number}", BASE, 0.99, tags=[f"t{number}"])
    second = stock.add("the other answer", BASE, 0.85, tags=["home"])
    (group,) = call("find_conflicts")["groups"]
    assert group["ids"] == [first, second]


@BOTH
@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"threshold": 0.499}, "threshold"),
        ({"threshold": 1.001}, "threshold"),
        ({"threshold": "0.9"}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"max_groups": 0}, "max_groups"),
        ({"max_groups": 501}, "max_groups"),
        ({"max_groups": 2.5}, "max_groups"),
        ({"max_groups": "2"}, "max_groups"),
        ({"tags": ["x"]}, "tags"),
    ],
)
def test_refused(refused: Call, tool: str, given: dict[str, Any], named: str) -> None:
    error = refused(tool, **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
