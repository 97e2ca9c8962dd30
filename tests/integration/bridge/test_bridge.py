"""The bridge as a program: eras, starting and joining servers, servers that die, cancelling, the end."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client, StdioServerParameters

from server import joining
from server.paths import Home
from tests.programs import PATIENCE, ROOT, Program, environment, eventually, program


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home. A server that a bridge has started ends by itself, five seconds after the last bridge."""
    return Home.at(tmp_path / "home")


def bridge(home: Home) -> AbstractContextManager[Program]:
    """`ownsona mcp` over the probe."""
    return program("-m", "tests.probe_bridge", str(home.state.parent))


def send(running: Program, method: str, params: Any = None, request_id: Any = None) -> None:
    """One line to the bridge; a notification where there is no id."""
    message = {
        "jsonrpc": "2.0",
        "method": method,
        **({"id": request_id} if request_id is not None else {}),
        **({"params": params} if params else {}),
    }
    running.stdin.write(json.dumps(message).encode() + b"\n")
    running.stdin.flush()


def ask(running: Program, method: str, params: Any = None) -> Any:
    """One request and its answer, while no other is under way."""
    send(running, method, params, 1)
    return json.loads(running.line())


def echo(running: Program, text: str) -> Any:
    """A forwarded call."""
    return ask(running, "tools/call", {"name": "echo", "arguments": {"text": text}})


def server_process(home: Home) -> psutil.Process:
    """The server that runs in the home."""
    running = joining.find(home, PATIENCE)
    assert running is not None
    return psutil.Process(running.pid)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_library_client(home: Home, mode: str) -> None:
    """The library's own client, over stdio, in both eras."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "tests.probe_bridge", str(home.state.parent)], env=environment(), cwd=str(ROOT)
    )

    async def use() -> None:
        async with Client(parameters, mode=mode) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["echo", "slow", "fail", "crash", "erase"]
            result = await client.call_tool("echo", {"text": "Grüße 🌍"})
            assert result.structured_content is not None
            assert result.structured_content["text"] == "Grüße 🌍"
            assert (await client.call_tool("fail", {})).is_error

    anyio.run(use)


def test_first_answers_are_early(home: Home) -> None:
    """Within a second of the process's start, with no server there at all; and from the interpreter's own library."""
    began = time.monotonic()
    with bridge(home) as running:
        assert (
            ask(running, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["result"]["serverInfo"]["name"] == "ownsona"
        )
        assert ask(running, "tools/list")["result"]["tools"]
        assert time.monotonic() - began < 1 * float(os.environ.get("OWNSONA_TEST_SLOWNESS", "2"))
        assert echo(running, "x")["result"]["structuredContent"]["text"] == "x"


def test_imports_nothing_heavy() -> None:
    """None of the heavy packages before a token is needed."""
    heavy = ["mcp", "mcp_types", "starlette", "pydantic", "numpy", "psycopg", "joserfc", "cryptography", "uvicorn", "anyio", "psutil"]
    code = f"import sys, server.cli, server.bridge; print([name for name in {heavy!r} if name in sys.modules])"
    with program("-c", code) as running:
        assert running.line() == b"[]\n"


def test_starts_one_server_for_all(home: Home) -> None:
    """Two bridges at once share a server, which outlives the first and ends after the second."""
    with bridge(home) as first:
        with bridge(home) as second:
            assert echo(first, "a")["result"]["structuredContent"]["text"] == "a"
            assert echo(second, "b")["result"]["structuredContent"]["text"] == "b"
            process = server_process(home)
            first.stdin.close()
            assert first.end() == 0
            assert echo(second, "c")["result"]["structuredContent"]["text"] == "c"
            second.stdin.close()
            assert second.end() == 0
        eventually(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


def test_joins_a_running_server(home: Home) -> None:
    """It starts none where one runs."""
    with program("-m", "tests.probe_server", "serve", "--home", str(home.state.parent)) as server:
        server.line()
        with bridge(home) as running:
            assert echo(running, "x")["result"]["structuredContent"]["client"] == "ownsona-stdio"
            assert server_process(home).pid == server.process.pid


def test_a_server_that_dies(home: Home) -> None:
    """The next request finds a new one, and its answer comes from there."""
    with bridge(home) as running:
        assert echo(running, "before")["result"]
        process = server_process(home)
        process.kill()
        eventually(lambda: joining.find(home) is None)
        assert echo(running, "after")["result"]["structuredContent"]["text"] == "after"
        assert server_process(home).pid != process.pid


def test_a_server_that_dies_in_the_middle_of_a_change(home: Home) -> None:
    """Whether the change was stored is not known, so it is not sent again; the client is told."""
    with program("-m", "tests.probe_server", "serve", "--home", str(home.state.parent)) as server:
        server.line()
        with bridge(home) as running:
            assert echo(running, "x")["result"]
            send(running, "tools/call", {"name": "slow"}, 2)
            eventually(lambda: b"slow began" in b"".join(server.errors))
            server.process.kill()
            answer = json.loads(running.line())
            assert answer["id"] == 2
            assert "may or may not have been stored" in answer["error"]["message"]


def test_cancelling(home: Home) -> None:
    """A cancelled request is never answered, and the others are, out of order where they are faster."""
    with program("-m", "tests.probe_server", "serve", "--home", str(home.state.parent)) as server:
        server.line()
        with bridge(home) as running:
            send(running, "tools/call", {"name": "slow"}, "slow")
            eventually(lambda: b"slow began" in b"".join(server.errors))
            send(running, "tools/call", {"name": "echo"}, "fast")
            assert json.loads(running.line())["id"] == "fast"
            send(running, "notifications/cancelled", {"requestId": "slow"})
            send(running, "tools/call", {"name": "echo"}, "after")
            assert json.loads(running.line())["id"] == "after"
            running.stdin.close()
            assert running.end() == 0
            assert running.lines.empty()


def test_requests_under_way_at_the_end(home: Home) -> None:
    """What was asked before stdin was closed is still answered, although the server has to start first."""
    with bridge(home) as running:
        for number in range(5):
            send(running, "tools/call", {"name": "echo", "arguments": {"text": str(number)}}, number)
        running.stdin.close()
        answers = [json.loads(running.line()) for _ in range(5)]
        assert {answer["id"]: answer["result"]["structuredContent"]["text"] for answer in answers} == {n: str(n) for n in range(5)}
        assert running.end() == 0
        assert running.lines.empty()


def test_a_server_that_cannot_start(home: Home) -> None:
    """The client gets the advice that the server left."""
    home.create()
    (home.state / "signing-key.json").write_text("{}")
    with bridge(home) as running:
        assert ask(running, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}
        message = echo(running, "x")["error"]["message"]
        assert message.startswith("The server cannot start. ")
        assert "signing-key.json does not hold a signing key" in message


def test_a_client_that_is_gone(home: Home) -> None:
    """Nobody reads any more: the bridge ends by itself."""
    import subprocess

    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.probe_bridge", str(home.state.parent)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=writer,
    ) as running:
        os.close(writer)
        assert running.stdin is not None
        running.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        running.stdin.flush()
        assert running.wait(PATIENCE) == 0
