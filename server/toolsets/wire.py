"""A tool as it goes over the wire: what `tools/list` shows, over HTTP and through the bridge alike."""

from __future__ import annotations

from typing import Any

from server.toolsets.base import Tool


def wire_tool(tool: Tool) -> dict[str, Any]:
    """One entry of `tools/list`. Every hint is written out: clients take the worst for one that is missing."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
        "outputSchema": dict(tool.output_schema),
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
