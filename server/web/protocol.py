"""One toolset as a server of the `mcp` library: stateless, JSON answers, both protocol eras."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from server import __version__
from server.endpoints import LIST_TTL_MS, NAME, TITLE
from server.stages import DATABASE, MODEL, Stages, State
from server.toolsets.base import ToolResult, Toolset
from server.toolsets.schemas import wire_tool
from server.web.endpoint import CALL_KEY, Call
from server.web.guards import MAX_BODY
from server.wire import compact

log = logging.getLogger(__name__)

TOOL_THREADS = 32


class Protocol:
    """Answers for one toolset. `manager` is the ASGI side; run it for as long as the server serves."""

    def __init__(self, toolset: Toolset, stages: Stages) -> None:
        self._toolset = toolset
        self._stages = stages
        self._threads = anyio.CapacityLimiter(TOOL_THREADS)
        self._listing = types.ListToolsResult.model_validate({"tools": [wire_tool(tool) for tool in toolset.tools], "ttlMs": LIST_TTL_MS})
        self.server: Server[dict[str, Any]] = Server(
            NAME,
            version=__version__,
            title=TITLE,
            instructions=toolset.instructions,
            get_tool_input_schema=lambda _: None,  # our schemas declare no header parameters
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self.server.middleware.clear()  # telemetry
        # The guards before it check Host, Origin and size; a message grows a little when it is written anew.
        self.manager = StreamableHTTPSessionManager(self.server, json_response=True, stateless=True, max_request_body_size=2 * MAX_BODY)

    async def _list_tools(self, _ctx: Any, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return self._listing

    async def _call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        result = await self._result(ctx.request.scope[CALL_KEY], params.name, params.arguments or {})
        text = compact(result.payload).decode()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=result.payload, is_error=result.is_error
        )

    async def _result(self, call: Call, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        if call.caller is None:
            return self._toolset.unavailable(DATABASE, call.unavailable or "")
        model = await self._stages.settled(MODEL, call.deadline)
        if model.state is State.STARTING:
            return self._toolset.unavailable(MODEL, "The model is still loading. Try again in a moment.")
        # With a model that failed for good, tools that do without it still work; the others say what is wrong.
        try:
            # Abandoned when the server stops: a thread that is at work must not hold up the end.
            run = partial(self._toolset.call, name, arguments, call.caller)
            return await anyio.to_thread.run_sync(run, limiter=self._threads, abandon_on_cancel=True)
        except Exception:  # the boundary of a request
            log.exception("The tool %s failed unexpectedly.", name if name in {tool.name for tool in self._toolset.tools} else "?")
            raise MCPError(code=types.INTERNAL_ERROR, message="The tool failed unexpectedly; the server's log says where.") from None
