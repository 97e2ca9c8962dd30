"""What every toolset offers to the transports (HTTP, stdio): a list of tools and one blocking call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a tool: the owner whose memories are meant, and the client's name as the journal shows it."""

    owner_id: int
    client: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as `tools/list` shows it."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    scopes: frozenset[str]  # all of them are needed
    read_only: bool
    destructive: bool
    idempotent: bool


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The envelope of the toolset's contract: the same object goes into `content[0].text` and `structuredContent`."""

    payload: dict[str, Any]
    is_error: bool = False


class Listed(Protocol):
    """What an endpoint tells about itself."""

    name: str
    instructions: str
    tools: Sequence[Tool]


class Toolset(Listed, Protocol):
    """One tool contract over the domain."""

    def scopes(self, tool: str, arguments: Mapping[str, Any]) -> frozenset[str]:
        """What this very call needs; empty for an unknown tool, which `call` refuses."""

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
        """Run one tool. Blocks, may be called from many threads. Never raises for bad input or a failed dependency."""

    def unavailable(self, stage: str, hint: str) -> ToolResult:
        """The contract's error for a stage ("database" or "model") that did not come up in time."""
