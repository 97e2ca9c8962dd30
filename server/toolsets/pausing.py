"""A toolset that its owner can pause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.toolsets.base import Caller, ToolResult, Toolset

PAUSED = "OwnSona is paused by its owner. Nothing can be read or written until the owner resumes it in the window of OwnSona."


class Pausable:
    """Lists and refuses as the toolset behind it does; answers no call while it is paused."""

    def __init__(self, toolset: Toolset, paused: Callable[[int], bool]) -> None:
        """`paused` tells for an owner's id, and never raises."""
        self._toolset = toolset
        self._paused = paused
        self.name = toolset.name
        self.instructions = toolset.instructions
        self.tools = toolset.tools

    def scopes(self, tool: str, arguments: Mapping[str, Any]) -> frozenset[str]:
        """What this very call needs."""
        return self._toolset.scopes(tool, arguments)

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
        """Run one tool, unless its owner has paused it."""
        if self._paused(caller.owner_id):
            return self._toolset.unavailable("database", PAUSED)
        return self._toolset.call(tool, arguments, caller)

    def unavailable(self, stage: str, hint: str) -> ToolResult:
        """The contract's error for a stage that did not come up in time."""
        return self._toolset.unavailable(stage, hint)
