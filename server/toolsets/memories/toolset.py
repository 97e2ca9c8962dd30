"""The memories contract as a toolset, whole or in a profile of some of its tools."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from server.memory.memories import Memories
from server.memory.model import InvalidInput, Limits, Refusal
from server.memory.ports import EmbeddingError, StoreError
from server.oauth import builtin
from server.stages import MODEL
from server.toolsets.base import Caller, Tool, ToolResult
from server.toolsets.memories import parameters as p
from server.toolsets.memories.handlers import Handlers, error_of
from server.toolsets.memories.texts import DESCRIPTIONS, INSTRUCTIONS, output_schema
from server.toolsets.parameters import Parameters, parse, schema_of

log = logging.getLogger(__name__)

READ = frozenset({builtin.READ})
WRITE = frozenset({builtin.WRITE})
DELETE = frozenset({builtin.DELETE})


@dataclass(frozen=True, slots=True)
class _Definition:
    name: str
    title: str
    parameters: type[Parameters]
    handler: Callable[[Handlers, Any, Caller], dict[str, Any]]
    scopes: frozenset[str] = READ
    idempotent: bool = True  # again with the same arguments changes nothing more


_DEFINITIONS = (
    _Definition("remember", "Remember a fact", p.Remember, Handlers.remember, WRITE),
    _Definition("remember_batch", "Remember many facts", p.RememberBatch, Handlers.remember_batch, WRITE),
    _Definition("recall", "Recall memories", p.Recall, Handlers.recall),
    _Definition("search_memory", "Search memory", p.Recall, Handlers.recall),
    _Definition("build_context_prompt", "Build a prompt with known facts", p.BuildContextPrompt, Handlers.build_context_prompt),
    _Definition("list_memories", "List memories", p.ListMemories, Handlers.list_memories),
    _Definition("update_memory", "Correct a memory", p.UpdateMemory, Handlers.update_memory, WRITE),
    _Definition("update_memory_batch", "Correct many memories", p.UpdateMemoryBatch, Handlers.update_memory_batch, WRITE),
    _Definition("confirm", "Confirm a memory", p.OneMemory, Handlers.confirm, WRITE, idempotent=False),
    _Definition("reinforce", "Give feedback on memories", p.Reinforce, Handlers.reinforce, WRITE, idempotent=False),
    _Definition("forget", "Forget a memory", p.Forget, Handlers.forget, DELETE),
    _Definition("forget_batch", "Forget many memories", p.ForgetBatch, Handlers.forget_batch, DELETE),
    _Definition("find_near_duplicates", "Find near duplicates", p.FindNearDuplicates, Handlers.find_near_duplicates),
    _Definition("find_conflicts", "Find conflicts", p.FindConflicts, Handlers.find_conflicts),
    _Definition("query_relations", "Follow relations", p.QueryRelations, Handlers.query_relations),
    _Definition("text_search", "Search for a piece of text", p.TextSearch, Handlers.text_search),
    _Definition("get_memory", "Get a memory", p.OneMemory, Handlers.get_memory),
    _Definition("count_memories", "Count memories", p.CountMemories, Handlers.count_memories),
    _Definition("memory_stats", "Memory statistics", p.Nothing, Handlers.memory_stats),
    _Definition("list_tags", "List tags", p.ListTags, Handlers.list_tags),
    _Definition("export_memories", "Export memories", p.ExportMemories, Handlers.export_memories),
)

# What each endpoint serves: the whole contract, the everyday part, and what changes nothing.
PROFILES: dict[str, tuple[str, ...]] = {
    "memories": tuple(one.name for one in _DEFINITIONS),
    "core": (
        "remember",
        "recall",
        "update_memory",
        "forget",
        "confirm",
        "reinforce",
        "list_tags",
        "build_context_prompt",
    ),
    "readonly": tuple(one.name for one in _DEFINITIONS if one.scopes == READ),
}


class MemoriesToolset:
    """The tools of one profile. Safe to call from many threads."""

    instructions = INSTRUCTIONS

    def __init__(self, memories: Memories, profile: str = "memories") -> None:
        self.name = profile
        self._handlers = Handlers(memories)
        self._by_name = {one.name: one for one in _DEFINITIONS if one.name in PROFILES[profile]}
        self.tools: Sequence[Tool] = published(profile, memories.limits)

    def scopes(self, tool: str, arguments: Mapping[str, Any]) -> frozenset[str]:
        """What this very call needs; empty for an unknown tool, which `call` refuses."""
        definition = self._by_name.get(tool)
        if definition is None:
            return frozenset()
        return definition.scopes | (DELETE if arguments.get("supersedes") else frozenset())

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> ToolResult:
        """Run one tool. Never raises: faults come back in the contract's form."""
        try:
            definition = self._by_name.get(tool)
            if definition is None:
                raise InvalidInput("There is no tool of this name here. Call tools/list for those that exist.")
            return ToolResult({"ok": True, **definition.handler(self._handlers, parse(definition.parameters, arguments), caller)})
        except (Refusal, EmbeddingError) as fault:
            return _failure(error_of(fault))
        except StoreError as error:
            return _failure({"code": "DATABASE_ERROR", "message": str(error)})
        except Exception as error:  # noqa: BLE001 - the boundary of a request: whatever it was, the server answers on
            # Its text may hold a memory, so only the kind and the place are logged.
            place = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__)[-6:]))
            log.error("%s failed with %s at %s", tool if tool in self._by_name else "a tool", type(error).__name__, place)
            message = "Something unexpected went wrong. Nothing was changed; the server's log says where."
            return _failure({"code": "INTERNAL_ERROR", "message": message})

    def unavailable(self, stage: str, hint: str) -> ToolResult:
        """The contract's error for a stage ("database" or "model") that did not come up in time."""
        return _failure({"code": "EMBEDDING_ERROR" if stage == MODEL else "DATABASE_ERROR", "message": hint})


def published(profile: str, limits: Limits) -> list[Tool]:
    """The tools of a profile as clients see them, in the contract's order."""
    by_name = {one.name: one for one in _DEFINITIONS}
    return [_tool(by_name[name], asdict(limits)) for name in PROFILES[profile]]


def _tool(definition: _Definition, limits: Mapping[str, int]) -> Tool:
    return Tool(
        definition.name,
        definition.title,
        DESCRIPTIONS[definition.name],
        schema_of(definition.parameters, limits),
        output_schema(definition.name),
        definition.scopes,
        read_only=definition.scopes == READ,
        destructive=definition.scopes >= DELETE,
        idempotent=definition.idempotent,
    )


def _failure(error: dict[str, Any]) -> ToolResult:
    return ToolResult({"ok": False, "error": error}, is_error=True)
