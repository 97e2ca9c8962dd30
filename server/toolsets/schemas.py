"""Writes schemas.json: what the stdio bridge answers to `tools/list` before any server runs.

    python -m server.toolsets.schemas

Run it after every change of a tool; a test keeps the file equal to what the server itself lists.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from server.memory.model import Limits
from server.toolsets.base import Listed, Tool
from server.toolsets.memories.toolset import PROFILES, Profile

FILE = Path(__file__).with_name("schemas.json")


def wire_tool(tool: Tool) -> dict[str, Any]:
    """One tool as it goes over the wire."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
        "outputSchema": dict(tool.output_schema),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }


def document(toolsets: Iterable[Listed]) -> str:
    """The file's contents for these toolsets."""
    parts = {one.name: {"instructions": one.instructions, "tools": [wire_tool(tool) for tool in one.tools]} for one in toolsets}
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


def published() -> str:
    """The file's contents for every toolset that the server has, with the usual limits."""
    return document(Profile(name, Limits()) for name in PROFILES)


if __name__ == "__main__":
    FILE.write_text(published(), encoding="utf-8")
