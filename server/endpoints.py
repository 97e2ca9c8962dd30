"""The MCP endpoints: which toolset is served at which path, and what server and bridge alike say about themselves.

A new toolset is one line here. Standard library only.
"""

from __future__ import annotations

NAME = "ownsona"
TITLE = "OwnSona Desktop"
LIST_TTL_MS = 300_000  # a client may keep the tool list this long; it changes only with the version

DEFAULT_PORT = 7662
DEFAULT_TOOLSET = "memories"

PATHS = {
    DEFAULT_TOOLSET: "/mcp",
    "core": "/mcp/core",
    "readonly": "/mcp/readonly",
}
