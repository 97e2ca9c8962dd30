"""The published schemas against the contract's own list of parameters."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from server.toolsets.memories.toolset import MemoriesToolset
from server.toolsets.schemas import FILE, current, wire_tool

# Marks of the contract's list that are not JSON Schema: they are checked by calls, not by the schema.
MARKS = {"cap", "limit", "limit_error", "whole", "extra", "description"}


@pytest.fixture(scope="session")
def contract(shared: Path) -> dict[str, Any]:
    tools: dict[str, Any] = json.loads((shared / "contracts" / "tools.json").read_text(encoding="utf-8"))
    return tools


def plain(node: Any) -> Any:
    """A schema without descriptions and the contract's marks."""
    if isinstance(node, dict):
        return {
            key: {name: plain(inner) for name, inner in value.items()} if key == "properties" else plain(value)
            for key, value in node.items()
            if key not in MARKS and key != "additionalProperties"
        }
    return [plain(inner) for inner in node] if isinstance(node, list) else node


def test_every_tool_of_the_contract_is_there(toolset: MemoriesToolset, contract: dict[str, Any]) -> None:
    assert sorted(tool.name for tool in toolset.tools) == sorted(contract["memories"])


def test_each_tool_takes_what_the_contract_says(toolset: MemoriesToolset, contract: dict[str, Any]) -> None:
    for tool in toolset.tools:
        published, wanted = plain(tool.input_schema), plain(contract["memories"][tool.name])
        wanted["required"] = sorted(wanted.get("required", []))
        published["required"] = sorted(published.get("required", []))
        assert published.pop("type") == "object"
        assert published == wanted, tool.name


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


def test_the_bridge_knows_what_the_server_lists() -> None:
    assert FILE.read_text(encoding="utf-8") == current(), "run: python -m server.toolsets.schemas"
