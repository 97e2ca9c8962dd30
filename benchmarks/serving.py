"""A real server as a child process, a client with one open connection, and how long things take."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from server.paths import Home
from server.postgres.cluster import Cluster

VERSION = "2025-11-25"
PATIENCE = 120.0
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}},
}


class Client:
    """One MCP client over HTTP with one connection that stays open."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
        }

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """The result of one request. Raises RuntimeError where it failed."""
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        # What the library leaves out: without it, a request in two packets waits for the delayed acknowledgement of the first.
        cast(socket.socket, self._connection.sock).setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if "result" not in answer:
            raise RuntimeError(f"status {response.status}: {answer}")
        return cast(dict[str, Any], answer["result"])

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's payload. Raises RuntimeError where it failed."""
        result = self.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        if result.get("isError"):
            raise RuntimeError(result["content"])
        return cast(dict[str, Any], result["structuredContent"])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Server:
    """A running server and what it costs to start."""

    home: Home
    pid: int
    port: int
    token: str
    first_answer: float  # seconds from the start of the process to `tools/list`
    ready: float  # seconds to the line that says so

    def client(self) -> Client:
        """A new client."""
        return Client(self.port, self.token)

    def conninfo(self) -> str:
        """The way into the cluster that the server runs."""
        return Cluster(self.home).start().conninfo()


def free_port() -> int:
    """A loopback port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return cast(int, probe.getsockname()[1])


def command(*arguments: str) -> list[str]:
    """The command `ownsona` of this installation."""
    return [sys.executable, "-P", "-m", "server.cli", *arguments]


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Run the server of a home; it is told to stop at the end."""
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith("OWNSONA_")} | {"OWNSONA_PORT": str(port)}
    token = subprocess.run(command("token", "--home", str(folder)), env=env, check=True, capture_output=True, text=True).stdout.strip()
    began = time.perf_counter()
    with (folder / "benchmark.log").open("ab") as log:
        start = command("serve", "--home", str(folder), "--port", str(port))
        process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=log, env=env)
    lines: queue.SimpleQueue[tuple[bytes, float]] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(cast(BinaryIO, process.stdout), lines), daemon=True)
    reader.start()
    try:
        first_answer = _first_answer(port, token) - began
        line, at = lines.get(timeout=PATIENCE)
        if not line.startswith(b"OwnSona ready"):
            raise RuntimeError(f"the server did not start; see {folder / 'benchmark.log'}")
        yield Server(Home.at(folder), process.pid, port, token, first_answer, at - began)
    finally:
        process.terminate()
        process.wait(PATIENCE)
        reader.join()


def _read(stream: BinaryIO, lines: queue.SimpleQueue[tuple[bytes, float]]) -> None:
    with stream:
        for line in stream:
            lines.put((line, time.perf_counter()))
    lines.put((b"", time.perf_counter()))


def _first_answer(port: int, token: str) -> float:
    """The moment at which `initialize` and `tools/list` are answered, by a client that tries until somebody listens."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        client = Client(port, token)
        try:
            client.ask(INITIALIZE)
            client.ask(LIST)
            return time.perf_counter()
        except ConnectionRefusedError:
            time.sleep(0.005)
        finally:
            client.close()
    raise RuntimeError("the server does not answer")


def bridge_answer(folder: Path) -> float:
    """Seconds from the start of `ownsona mcp` to its answer to `tools/list`; the server of this home runs."""
    began = time.perf_counter()
    start, pipe = command("mcp", "--home", str(folder)), subprocess.PIPE
    process = subprocess.Popen(start, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    with cast(BinaryIO, process.stdout) as answers, cast(BinaryIO, process.stdin) as requests:
        requests.write(b"".join(json.dumps(message).encode() + b"\n" for message in (INITIALIZE, LIST)))
        requests.flush()
        answered = [answers.readline() for _ in range(2)]
        seconds = time.perf_counter() - began
    process.wait(PATIENCE)
    if not all(answered):
        raise RuntimeError("the bridge does not answer")
    return seconds


@dataclass(frozen=True, slots=True)
class Times:
    """How long many calls took, in milliseconds."""

    values: Sequence[float]

    def at(self, percent: float) -> float:
        """A percentile."""
        return float(np.percentile(self.values, percent))

    def __str__(self) -> str:
        return " / ".join(f"{self.at(percent):.1f}" for percent in (50, 95, 99))


def timed(calls: Sequence[Callable[[], object]]) -> Times:
    """Call one after the other."""
    values = []
    for call in calls:
        began = time.perf_counter()
        call()
        values.append(1000 * (time.perf_counter() - began))
    return Times(values)
