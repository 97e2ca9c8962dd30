"""query_relations: reach, direction, case, order, and the cap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.memory.memories import Memories
from server.memory.model import Limits
from server.store.database import Database
from server.store.store import PostgresStore
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset
from tests.contract.memories.support import Call
from tests.support import WordEmbedder

Relate = Callable[[str, str, str], int]


@pytest.fixture
def relate(call: Call, database: Database, owner: int) -> Relate:
    """Stores a memory with one relation, as the extraction job does, and returns the memory's id."""

    def add(subject: str, predicate: str, object_: str) -> int:
        source: int = call("remember", text=f"{subject} {predicate} {object_}.", dedup_policy="insert")["memory_id"]
        with database.transaction() as connection:
            connection.execute(
                "INSERT INTO memory_relations (owner_id, subject, predicate, object, source_memory_id) VALUES (%s, %s, %s, %s, %s)",
                [owner, subject, predicate, object_, source],
            )
        return source

    return add


def names(found: dict[str, Any]) -> list[str]:
    return [f"{one['subject']}-{one['object']}" for one in found["relations"]]


def test_shape(call: Call, relate: Relate) -> None:
    source = relate("Dana", "manages", "the user")
    assert call("query_relations", entity="Dana", max_hops=1) == {
        "ok": True,
        "entity": "Dana",
        "relations": [
            {
                "subject": "Dana",
                "predicate": "manages",
                "object": "the user",
                "source_memory_id": source,
                "source_text": "Dana manages the user.",
            }
        ],
        "summary": {"count": 1},
    }


def test_nothing(call: Call, relate: Relate) -> None:
    relate("Dana", "manages", "the user")
    for entity in ("Dan", "manages", "%", "Dana manages the user."):
        assert call("query_relations", entity=entity) == {"ok": True, "entity": entity, "relations": [], "summary": {"count": 0}}


def test_hops(call: Call, relate: Relate) -> None:
    """a-b-c-d-e-f-g: each hop reaches one edge further; the default is two, the cap five."""
    for left, right in zip("abcdef", "bcdefg", strict=True):
        relate(left, "knows", right)
    chain = ["a-b", "b-c", "c-d", "d-e", "e-f"]
    assert names(call("query_relations", entity="a")) == chain[:2]
    assert names(call("query_relations", entity="a", max_hops=None)) == chain[:2]
    for hops in (1, 2, 3, 4, 5):
        assert names(call("query_relations", entity="a", max_hops=hops)) == chain[:hops]
    assert names(call("query_relations", entity="a", max_hops=3.0)) == chain[:3]
    for hops in (6, 10**12, 2**80):
        assert names(call("query_relations", entity="a", max_hops=hops)) == chain


def test_edges_are_followed_both_ways_and_shown_as_they_are(call: Call, relate: Relate) -> None:
    relate("Dana", "manages", "the user")
    relate("Erik", "is married to", "Dana")
    assert names(call("query_relations", entity="the user")) == ["Dana-the user", "Erik-Dana"]
    assert names(call("query_relations", entity="Erik")) == ["Erik-Dana", "Dana-the user"]


def test_nearest_first_and_each_edge_once(call: Call, relate: Relate) -> None:
    for left, right in ("ca", "bc", "ab", "aa", "ab"):
        relate(left, "knows", right)
    relate("ab"[0], "likes", "b")
    found = names(call("query_relations", entity="a", max_hops=5))
    assert found == ["c-a", "a-b", "a-a", "a-b", "a-b", "b-c"]


@pytest.mark.parametrize(
    ("stored", "asked"), [("Dana", "dANA"), ("ÄRZTIN", "ärztin"), ("ΣΟΦΙΑ", "σοφια"), ("Дана", "ДАНА"), ("  x", "  X")]
)
def test_case(call: Call, relate: Relate, stored: str, asked: str) -> None:
    relate(stored.strip(), "knows", "someone")
    relate("SOMEONE", "knows", "Else")
    assert len(call("query_relations", entity=asked)["relations"]) == 2


def test_deleted_sources_are_left_out_and_lead_nowhere(call: Call, relate: Relate) -> None:
    relate("a", "knows", "b")
    bridge = relate("b", "knows", "c")
    relate("c", "knows", "d")
    call("forget", id=bridge)
    assert names(call("query_relations", entity="a", max_hops=5)) == ["a-b"]
    call("forget", id=bridge, hard_delete=True)
    assert names(call("query_relations", entity="a", max_hops=5)) == ["a-b"]


def test_the_text_is_the_present_one(call: Call, relate: Relate) -> None:
    """A new text takes its old relations with it; new labels do not."""
    source = relate("a", "knows", "b")
    call("update_memory", id=source, tags=["x"])
    assert call("query_relations", entity="a")["relations"][0]["source_text"] == "a knows b."
    call("update_memory", id=source, text="a has met b")
    assert call("query_relations", entity="a")["relations"] == []


def test_another_owner_sees_nothing(relate: Relate, toolset: MemoriesToolset) -> None:
    relate("a", "knows", "b")
    assert toolset.call("query_relations", {"entity": "a"}, Caller(1, "test client")).payload["relations"] == []


@pytest.mark.parametrize("most", [2, 3, 4])
def test_cap(relate: Relate, store: PostgresStore, embedder: WordEmbedder, owner: int, most: int) -> None:
    """GRAPH_MAX_RELATIONS holds over all hops together."""
    for left, right in ("ab", "ac", "bd"):
        relate(left, "knows", right)
    small = MemoriesToolset(Memories(store, embedder, Limits(graph_max_relations=most)))
    found = small.call("query_relations", {"entity": "a"}, Caller(owner, "test client")).payload
    assert names(found) == ["a-b", "a-c", "b-d"][:most]
    assert found["summary"] == {"count": min(most, 3)}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "entity"),
        ({"entity": None}, "entity"),
        ({"entity": ""}, "entity"),
        ({"entity": "  "}, "entity"),
        ({"entity": 5}, "entity"),
        ({"entity": "a\0"}, "NUL"),
        ({"entity": "a", "max_hops": 0}, "max_hops"),
        ({"entity": "a", "max_hops": -1}, "max_hops"),
        ({"entity": "a", "max_hops": 1.5}, "max_hops"),
        ({"entity": "a", "max_hops": "2"}, "max_hops"),
        ({"entity": "a", "max_hops": True}, "max_hops"),
        ({"entity": "a", "limit": 1}, "limit"),
    ],
)
def test_refused(refused: Call, given: dict[str, Any], named: str) -> None:
    error = refused("query_relations", **given)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]
