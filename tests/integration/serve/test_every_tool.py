"""All tools over HTTP and over stdio, with the library's own client: what is listed, and one call of each."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from server.endpoints import PATHS
from server.paths import Home
from tests.contract.comparing import comparable
from tests.integration.serve.support import access_token, announced, serve
from tests.programs import ROOT, environment

Connect = Callable[[Home, str], AbstractAsyncContextManager[Client]]

# As the contract has them.
CORE = {"remember", "recall", "update_memory", "forget", "confirm", "reinforce", "list_tags", "build_context_prompt"}
CHANGING = {"remember", "remember_batch", "update_memory", "update_memory_batch", "confirm", "reinforce", "forget", "forget_batch"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home in which the real server runs."""
    home = Home.at(tmp_path_factory.mktemp("tools") / "home")
    with serve(home) as server:
        assert server.line().startswith(b"OwnSona ready at ")
        yield home
        server.process.terminate()
        assert server.end() == 0


@asynccontextmanager
async def over_http(home: Home, toolset: str) -> AsyncIterator[Client]:
    """A client with a token for one endpoint."""
    running = announced(home)
    url = f"http://127.0.0.1:{running.port}{PATHS[toolset]}"
    token = access_token(home, running.issuer, url)
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(home: Home, toolset: str) -> AsyncIterator[Client]:
    """A client of `ownsona mcp`."""
    arguments = ["-m", "server.cli", "mcp", "--home", str(home.state.parent), "--toolset", toolset]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=environment(), cwd=str(ROOT))) as client:
        yield client


BOTH = pytest.mark.parametrize("connect", [over_http, over_stdio])


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The payload of a call that succeeds; text and structure hold the same."""
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    assert content.type == "text"
    payload: dict[str, Any] = json.loads(content.text)
    assert payload == result.structured_content
    assert payload["ok"] is True, payload
    assert not result.is_error
    return payload


def run(test: Callable[[], Awaitable[None]]) -> None:
    """An asynchronous test to its end."""
    anyio.run(test)


@BOTH
def test_listing_is_the_contract(home: Home, connect: Connect, contract: dict[str, Any]) -> None:
    async def test() -> None:
        async with connect(home, "memories") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert sorted(tools) == sorted(contract["memories"])
            for name, wanted in contract["memories"].items():
                assert comparable(tools[name].input_schema) == comparable({"type": "object", **wanted}), name
                assert tools[name].description

    run(test)


@BOTH
def test_profiles(home: Home, connect: Connect, contract: dict[str, Any]) -> None:
    async def listed(profile: str) -> dict[str, dict[str, Any]]:
        async with connect(home, profile) as client:
            return {tool.name: tool.model_dump() for tool in (await client.list_tools()).tools}

    async def test() -> None:
        whole, core, readonly = [await listed(profile) for profile in ("memories", "core", "readonly")]
        assert set(core) == CORE
        assert set(readonly) == set(contract["memories"]) - CHANGING
        assert core == {name: whole[name] for name in CORE}
        assert readonly == {name: whole[name] for name in readonly}

    run(test)


@BOTH
def test_a_tool_of_another_profile_is_unknown(home: Home, connect: Connect) -> None:
    async def test() -> None:
        async with connect(home, "readonly") as client:
            result = await client.call_tool("remember", {"text": "x"})
            assert result.is_error
            assert result.structured_content is not None
            assert result.structured_content["error"]["code"] == "INVALID_INPUT"

    run(test)


@BOTH
def test_each_tool_once(home: Home, connect: Connect, contract: dict[str, Any]) -> None:
    """With the real model: a little life of some memories."""
    way = connect.__name__
    called: set[str] = set()

    async def test() -> None:
        async with connect(home, "memories") as client:

            async def use(tool: str, **arguments: Any) -> dict[str, Any]:
                called.add(tool)
                return await call(client, tool, **arguments)

            cat = (await use("remember", text=f"The user's cat Miez came home {way}.", tags=["Pets"]))["memory_id"]
            batch = await use("remember_batch", items=[{"text": f"The user sails {way}.", "tags": ["sport"]}, {"text": "Grüße 🌍"}])
            sail = batch["results"][0]["memory_id"]
            for tool in ("recall", "search_memory"):
                matches = (await use(tool, query=f"what is the name of the cat, {way}", limit=5))["matches"]
                assert cat in [match["id"] for match in matches]
            assert "Miez" in (await use("build_context_prompt", user_prompt="Who is Miez?"))["prompt"]
            assert sail in [one["id"] for one in (await use("list_memories"))["memories"]]
            assert (await use("update_memory", id=sail, importance=0.9))["changed_fields"] == ["importance"]
            assert (await use("update_memory_batch", items=[{"id": sail, "text": f"The user rows {way}."}]))["summary"]["updated"] == 1
            assert (await use("confirm", id=cat))["memory_id"] == cat
            [fed] = (await use("reinforce", memory_ids=[cat], query="who is Miez"))["reinforced"]
            assert (fed["use_count"], fed["context_count"]) == (2, 1)
            assert "groups" in await use("find_near_duplicates", threshold=0.9)
            assert "groups" in await use("find_conflicts")
            assert (await use("query_relations", entity="Miez"))["relations"] == []
            assert [one["id"] for one in (await use("text_search", text=f"ROWS {way}"))["memories"]] == [sail]
            assert (await use("get_memory", id=sail))["memory"]["text"] == f"The user rows {way}."
            assert (await use("count_memories", tags=["pets"]))["count"] >= 1
            assert (await use("memory_stats"))["active"] >= 3
            assert {"tag": "sport", "count": 1} in (await use("list_tags"))["tags"]
            assert (await use("forget", id=sail, reason="test"))["message"] == "Forgotten"
            assert (await use("forget_batch", ids=[sail, cat]))["summary"]["already_deleted"] == 1
            exported = await use("export_memories")
            assert {sail, cat} <= {one["id"] for one in exported["memories"]}

    run(test)
    assert called == set(contract["memories"])


@BOTH
def test_errors_in_the_form_of_the_contract(home: Home, connect: Connect) -> None:
    async def test() -> None:
        async with connect(home, "memories") as client:
            for tool, arguments, code in (
                ("get_memory", {"id": 10**15}, "NOT_FOUND"),
                ("recall", {}, "INVALID_INPUT"),
                ("remember", {"text": "AKIA" + "B" * 16}, "SECRET_REJECTED"),
                ("forget_batch", {"ids": [1] * 201}, "LIMIT_EXCEEDED"),
                ("no_such_tool", {}, "INVALID_INPUT"),
            ):
                result = await client.call_tool(tool, arguments)
                [content] = result.content
                assert result.is_error
                assert content.type == "text"
                payload = json.loads(content.text)
                assert payload == result.structured_content
                assert (list(payload), payload["ok"], payload["error"]["code"]) == (["ok", "error"], False, code)

    run(test)
