"""A small toolset for the tests of the web side: it echoes, waits to be released, fails, and refuses."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from server.oauth.builtin import DELETE, READ, WRITE
from server.toolsets.base import Caller, Tool, ToolResult

log = logging.getLogger("server.probe")

OUTPUT = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def _tool(name: str, scope: str, *, read_only: bool) -> Tool:
    return Tool(
        name=name,
        title=name.capitalize(),
        description=f"The {name} tool.",
        input_schema={"type": "object", "properties": {"text": {"type": "string"}}},
        output_schema=OUTPUT,
        scopes=frozenset({scope}),
        read_only=read_only,
        destructive=scope == DELETE,
        idempotent=read_only,
    )


class ProbeToolset:
    """Implements server.toolsets.base.Toolset."""

    name = "memories"
    instructions = "A probe. Ünïcode."

    def __init__(self) -> None:
        self.tools: Sequence[Tool] = (
            _tool("echo", READ, read_only=True),
            _tool("slow", WRITE, read_only=False),
            _tool("fail", READ, read_only=True),
            _tool("crash", READ, read_only=True),
            _tool("erase", DELETE, read_only=False),
        )
        self.entered = threading.Semaphore(0)  # counts calls of `slow` that have begun
        self.release = threading.Event()  # lets them end

    def scopes(self, tool: str, arguments: Mapping[str, Any]) -> frozenset[str]:
        """What the tool needs, and to erase where the arguments say so."""
        needed = next((one.scopes for one in self.tools if one.name == tool), frozenset[str]())
        return needed | {DELETE} if arguments.get("erase") else needed

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
        """Run one probe."""
        if tool == "echo":
            return ToolResult({"ok": True, "text": arguments.get("text"), "client": caller.client, "owner": caller.owner_id})
        if tool == "slow":
            self.entered.release()
            log.info("slow began")
            self.release.wait(20)
            return ToolResult({"ok": True})
        if tool == "crash":
            raise RuntimeError(f"quotes its input: {arguments.get('text')}")
        code = "NOT_FOUND" if tool == "fail" else "INVALID_INPUT"
        return ToolResult({"ok": False, "error": {"code": code, "message": "As asked."}}, is_error=True)

    def unavailable(self, stage: str, hint: str) -> ToolResult:
        """The error for a stage that is not up."""
        code = {"database": "DATABASE_ERROR", "model": "EMBEDDING_ERROR"}[stage]
        return ToolResult({"ok": False, "error": {"code": code, "message": hint}}, is_error=True)
