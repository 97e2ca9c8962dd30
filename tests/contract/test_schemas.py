"""The published schemas against the contract's own list of parameters."""

from __future__ import annotations

import re
from typing import Any

from server.toolsets.memories.toolset import MemoriesToolset
from server.toolsets.schemas import FILE, current, wire_tool
from tests.contract.comparing import comparable


def test_every_tool_of_the_contract_is_there(toolset: MemoriesToolset, contract: dict[str, Any]) -> None:
    assert sorted(tool.name for tool in toolset.tools) == sorted(contract["memories"])


def test_each_tool_takes_what_the_contract_says(toolset: MemoriesToolset, contract: dict[str, Any]) -> None:
    for tool in toolset.tools:
        assert comparable(tool.input_schema) == comparable({"type": "object", **contract["memories"][tool.name]}), tool.name


def walk(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        return [node, *(found for inner in node.values() for found in walk(inner))]
    return [found for inner in node for found in walk(inner)] if isinstance(node, list) else []


def test_schemas_are_plain_enough_for_every_client(toolset: MemoriesToolset) -> None:
    for tool in toolset.tools:
        for node in (*walk(tool.input_schema), *walk(tool.output_schema)):
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs", "title"} & node.keys(), tool.name
            assert not isinstance(node.get("type"), list), tool.name
        assert tool.input_schema["additionalProperties"] is False


def test_names_titles_and_descriptions(toolset: MemoriesToolset) -> None:
    names = [tool.name for tool in toolset.tools]
    assert len(names) == len(set(names))
    for tool in toolset.tools:
        assert re.fullmatch(r"[a-z_]{1,40}", tool.name)
        assert tool.title
        assert 60 <= len(tool.description) <= 1000, tool.name
        for name, field in tool.input_schema["properties"].items():
            assert field.get("description"), f"{tool.name}.{name}"


def test_annotations_are_explicit_and_right(toolset: MemoriesToolset) -> None:
    wire = {tool.name: wire_tool(tool)["annotations"] for tool in toolset.tools}
    for name, marks in wire.items():
        assert all(isinstance(marks[key], bool) for key in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")), name
    assert {name for name, marks in wire.items() if marks["destructiveHint"]} == {"forget", "forget_batch"}
    writers = {name for name, marks in wire.items() if not marks["readOnlyHint"]}
    assert writers == {
        "remember",
        "remember_batch",
        "update_memory",
        "update_memory_batch",
        "confirm",
        "reinforce",
        "forget",
        "forget_batch",
    }


def test_scopes(toolset: MemoriesToolset) -> None:
    assert toolset.scopes("recall", {}) == {"memories:read"}
    assert toolset.scopes("remember", {"text": "x"}) == {"memories:write"}
    assert toolset.scopes("remember", {"text": "x", "supersedes": [1]}) == {"memories:write", "memories:delete"}
    assert toolset.scopes("forget", {}) == {"memories:delete"}
    assert toolset.scopes("nothing", {}) == frozenset()


def test_the_bridge_answers_with_the_present_descriptions() -> None:
    """After a change of a tool: python -m server.toolsets.schemas."""
    assert FILE.read_text(encoding="utf-8") == current()
