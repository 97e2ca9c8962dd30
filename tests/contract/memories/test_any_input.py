"""Whatever a client sends: an answer in the contract's form, and never a fault of ours."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.memory.memories import Memories
from server.memory.model import Limits
from server.store.database import Database
from server.store.store import PostgresStore
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset, published
from tests.support import WordEmbedder

TOOLS = {tool.name: tool.input_schema for tool in published("memories", Limits())}
OURS = {"INTERNAL_ERROR", "DATABASE_ERROR", "EMBEDDING_ERROR"}
owners = itertools.count(2_000_000)

# Characters that databases, patterns and formats trip over, halves of surrogate pairs included.
characters = st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\0%_\\'\"{}$;-\u200b\u202e\ufeffİßΣ")
texts = st.text(characters, max_size=12)
numbers = st.integers() | st.integers(-2, 3) | st.floats() | st.sampled_from([2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1e308])
moments = st.datetimes().map(lambda moment: f"{moment.isoformat()}Z") | st.sampled_from(
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00.1234567Z", "2026-02-30T00:00:00Z", "2026-01-01"]
)
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts | moments,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly what a schema asks for, so that the call gets beyond the first check; at times anything at all."""
    if "enum" in schema:
        right: st.SearchStrategy[Any] = st.sampled_from(schema["enum"])
    elif schema.get("format") == "date-time":
        right = moments
    elif schema["type"] == "array":
        right = st.lists(values(schema.get("items", {"type": "object", "properties": {}})), max_size=4)
    elif schema["type"] == "object":
        right = arguments(schema)
    else:
        right = {"string": texts.filter(bool), "boolean": st.booleans(), "integer": st.integers(1, 12), "number": st.floats(0, 1)}[
            schema["type"]
        ]
    return st.integers(0, 5).flatmap(lambda chance: anything if chance == 0 else right)


def arguments(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a tool or an item: now and then with one too many or one too few."""
    known = {name: values(inner) for name, inner in schema["properties"].items()}
    needed = {name: known.pop(name) for name in schema.get("required", [])}
    whole = st.fixed_dictionaries(needed, optional=known)
    return whole | st.builds(lambda given, more: {**given, **more}, whole, st.dictionaries(texts, anything, max_size=1)) | st.just({})


@pytest.fixture(scope="module")
def served(database: Database) -> tuple[MemoriesToolset, Caller]:
    """The toolset with a few memories of an owner, which the calls change as they like."""
    owner, embedder = next(owners), WordEmbedder()
    store = PostgresStore(database)
    store.use_model(owner, embedder.model)
    toolset, caller = MemoriesToolset(Memories(store, embedder, Limits())), Caller(owner, "test client")
    for text in ("Anna likes tea", "Bob is tall", "Carl sails"):
        toolset.call("remember", {"text": text, "tags": ["a"]}, caller)
    return toolset, caller


def check(served: tuple[MemoriesToolset, Caller], tool: str, given: Mapping[str, Any]) -> None:
    toolset, caller = served
    assert toolset.scopes(tool, given) >= frozenset()
    result = toolset.call(tool, given, caller)
    assert result.payload["ok"] is not result.is_error
    json.dumps(result.payload).encode()
    if result.is_error:
        error = result.payload["error"]
        assert set(result.payload) == {"ok", "error"}
        assert set(error) == {"code", "message"}
        assert error["code"] not in OURS
        assert error["message"].endswith(".")
    for item in result.payload.get("results", ()):
        assert item["ok"] or item["error"]["code"] not in OURS


@given(st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
def test_any_arguments(served: tuple[MemoriesToolset, Caller], data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(sorted(TOOLS)))
    check(served, tool, data.draw(arguments(TOOLS[tool])))


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_each_parameter_of_each_wrong_type(served: tuple[MemoriesToolset, Caller], tool: str) -> None:
    odd: list[Any] = [
        None,
        True,
        0,
        -1,
        1.5,
        10**400,
        float("nan"),
        float("-inf"),
        "",
        "\0",
        "\ud800",
        "x",
        [],
        [None],
        [[]],
        ["x"],
        {},
        {"": {}},
    ]
    check(served, tool, {})
    for name in TOOLS[tool]["properties"]:
        for value in odd:
            check(served, tool, {name: value})
    for name in ("", "\0", "\ud800", "x" * 1000, "self", "__class__", "model_config"):
        check(served, tool, {name: 1})


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_deep_nesting(served: tuple[MemoriesToolset, Caller], tool: str) -> None:
    """As deep as a message may be."""
    deep: Any = "x"
    for _ in range(64):
        deep = {"a": [deep]}
    for name in [*TOOLS[tool]["properties"], "more"]:
        check(served, tool, {name: deep})
        check(served, tool, {name: [deep]})
