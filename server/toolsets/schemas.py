"""Writes schemas.json: what the stdio bridge answers to `tools/list` before any server runs.

    python -m server.toolsets.schemas

A test keeps the file equal to what the server itself lists.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from server.memory.model import Limits
from server.toolsets.base import Tool
from server.toolsets.memories.texts import INSTRUCTIONS
from server.toolsets.memories.toolset import PROFILES, published

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


def document(toolsets: Mapping[str, tuple[str, Sequence[Tool]]]) -> str:
    """The file's contents: for each toolset its instructions and tools."""
    parts = {name: {"instructions": text, "tools": [wire_tool(tool) for tool in tools]} for name, (text, tools) in toolsets.items()}
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


def current() -> str:
    """The contents for all toolsets of this version, with the default limits."""
    return document({profile: (INSTRUCTIONS, published(profile, Limits())) for profile in PROFILES})


if __name__ == "__main__":
    FILE.write_text(current(), encoding="utf-8")
