"""The MCP endpoints: which toolset is served at which path. A new toolset is one line here. Standard library only."""

from __future__ import annotations

DEFAULT_TOOLSET = "memories"

PATHS = {
    DEFAULT_TOOLSET: "/mcp",
    "core": "/mcp/core",
    "readonly": "/mcp/readonly",
}
