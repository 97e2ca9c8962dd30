"""The life of a server as a program: ready line, second start, busy port, leases, signals, sudden death."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from server import joining
from server.desktop import SCREENS
from server.listening import listen
from server.locks import FileLock
from server.paths import Home
from tests.integration.postgres.helpers import mounted
from tests.programs import PATIENCE, ROOT, Program, environment, eventually, program
from tests.web_support import rpc_headers

READY = re.compile(rb"OwnSona ready at (http://127\.0\.0\.1:\d+/mcp)\n")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return Home.at(tmp_path / "home")


def serve(home: Home, *options: str, **env: str) -> AbstractContextManager[Program]:
    """`ownsona serve` over the probe."""
    return program("-m", "tests.probe_server", "serve", "--home", str(home.state.parent), *options, env=environment(**env))


def command(home: Home, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Another command in the same home."""
    return subprocess.run(
        [sys.executable, "-m", "server.cli", *arguments, "--home", str(home.state.parent)],
        cwd=ROOT, env=environment(**env), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def test_one_line_and_an_orderly_end(home: Home) -> None:
    """One line on stdout when ready; SIGTERM ends it within ten seconds, and nothing stays behind."""
    with serve(home) as server:
        assert READY.fullmatch(server.line())
        assert joining.find(home) is not None
        if sys.platform != "win32":
            assert home.runtime_file.stat().st_mode & 0o777 == 0o600
        began = time.monotonic()
        server.process.terminate()
        assert server.end() == 0
        assert time.monotonic() - began < 10
        assert server.lines.empty()
    assert not home.runtime_file.exists()
    assert FileLock(home.lock_file).acquire(0)


def test_control_c(home: Home) -> None:
    """Ctrl+C is an orderly end too, without a traceback, however often it is pressed."""
    with serve(home) as server:
        server.line()
        server.process.send_signal(signal.SIGINT)
        server.process.send_signal(signal.SIGINT)
        assert server.end() == 0
        assert "Traceback" not in server.complaint


def test_stop_at_any_moment(home: Home) -> None:
    """A signal in the middle of the start ends it too."""
    with serve(home) as server:
        eventually(home.runtime_file.exists)
        server.process.terminate()
        assert server.end(10) in (0, -signal.SIGTERM)


def test_a_call_that_does_not_end(home: Home) -> None:
    """A tool that is at work holds up the end for a few seconds, not for ever."""
    with serve(home) as server:
        server.line()
        running = joining.find(home)
        assert running is not None
        token = command(home, "token").stdout.strip()
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
        connection.request("POST", "/mcp", json.dumps(message), rpc_headers(token))
        eventually(lambda: b"slow began" in b"".join(server.errors))
        server.process.terminate()
        assert server.end(10) == 0
        connection.close()


def test_second_serve(home: Home) -> None:
    """It finds the first one, says so and is done."""
    with serve(home) as first:
        match = READY.fullmatch(first.line())
        assert match
        with serve(home) as second:
            assert second.line() == b"OwnSona already runs at " + match[1] + b"\n"
            assert second.end() == 0


def test_two_at_once(home: Home) -> None:
    """Of two that start in the same moment, one serves and the other joins."""
    with serve(home) as first, serve(home) as second:
        said = sorted([first.line(), second.line()])
        assert said[0].startswith(b"OwnSona already runs at ")
        assert READY.fullmatch(said[1])


def test_busy_port(home: Home) -> None:
    """Another program has the port: advice and exit code 2, and never another port."""
    port, sockets = listen(0)
    try:
        with serve(home, "--port", str(port)) as server:
            assert server.end() == 2
            assert server.lines.empty()
            assert f"Port {port} on 127.0.0.1 is taken by another program" in server.complaint
            assert "Traceback" not in server.complaint
        assert not home.runtime_file.exists()
    finally:
        for listening in sockets:
            listening.close()


def test_busy_on_ipv6_alone(home: Home) -> None:
    """Whoever has the port on ::1 would get the tokens of clients that say localhost."""
    port, sockets = listen(0)
    for listening in sockets:
        listening.close()
    if len(sockets) == 1:
        pytest.skip("this computer has no IPv6 loopback")
    with socket.socket(socket.AF_INET6) as other:
        other.bind(("::1", port))
        other.listen()
        with serve(home, "--port", str(port)) as server:
            assert server.end() == 2
            assert f"Port {port} on ::1 is taken" in server.complaint


def test_impostor_on_the_port(home: Home) -> None:
    """Somebody else listens where `runtime.json` points: nobody joins, nothing is sent there but a random number."""
    home.create()
    with socket.create_server(("127.0.0.1", 0)) as impostor:
        port = impostor.getsockname()[1]
        joining.announce(home, joining.Running(port, os.getpid(), "secret", 0.0, ""))
        assert joining.find(home, 0.2) is None
        connection, _ = impostor.accept()
        with connection:
            connection.settimeout(PATIENCE)
            said = b"".join(iter(lambda: connection.recv(65536), b""))
        assert b"secret" not in said
        assert b"Authorization" not in said
    assert command(home, "status").returncode == 1


@pytest.mark.parametrize("port", ["x", "-1", "65536", "1.5", ""])
def test_bad_port(home: Home, port: str) -> None:
    """Exit code 2 and one line that names the option; nothing is made."""
    result = command(home, "serve", f"--port={port}")
    assert result.returncode == 2
    assert result.stderr.startswith("--port: ")
    assert not home.state.exists()


def test_bad_settings(home: Home) -> None:
    """A setting that cannot be used is named, and its value is not shown."""
    result = command(home, "serve", OWNSONA_MAX_BATCH_SIZE="many-secret")
    assert result.returncode == 2
    assert "OWNSONA_MAX_BATCH_SIZE" in result.stderr
    assert "secret" not in result.stderr
    result = command(home, "serve", OWNSONA_PUBLIC_URL="secret")
    assert (result.returncode, "OWNSONA_PUBLIC_URL" in result.stderr) == (2, True)
    assert "secret" not in result.stderr


def test_home_that_cannot_be_made(tmp_path: Path) -> None:
    """A file in the way."""
    (tmp_path / "file").write_text("")
    result = command(Home.at(tmp_path / "file" / "home"), "serve")
    assert result.returncode == 2
    assert "cannot be used" in result.stderr


def test_damaged_key(home: Home) -> None:
    """The advice of the key file, not a traceback."""
    home.create()
    (home.state / "signing-key.json").write_text("{}")
    for arguments in (["serve"], ["token"]):
        result = command(home, *arguments)
        assert result.returncode == 2
        assert "signing-key.json does not hold a signing key" in result.stderr


def test_status_and_stop(home: Home) -> None:
    """From another process; reading makes nothing."""
    result = command(home, "status")
    assert (result.returncode, result.stdout) == (1, "OwnSona is not running. Start it with `ownsona serve`.\n")
    assert json.loads(command(home, "status", "--json").stdout) == {"running": False}
    assert command(home, "stop").returncode == 0
    assert not home.state.exists()
    with serve(home) as server:
        url = server.line().split()[-1].decode()
        result = command(home, "status")
        assert result.returncode == 0
        assert url in result.stdout
        assert "database: ready" in result.stdout
        state = json.loads(command(home, "status", "--json").stdout)
        assert (state["running"], state["status"], state["pid"]) == (True, "ready", server.process.pid)
        assert command(home, "stop").stdout == "OwnSona has stopped.\n"
        assert server.end() == 0


def test_no_app() -> None:
    """`ownsona` alone, without a screen: exit code 2 and one line that names the way out."""
    env = {name: value for name, value in environment().items() if name not in SCREENS}  # the app's tests have one
    result = subprocess.run(
        [sys.executable, "-m", "server.cli"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "ownsona serve" in result.stderr


def test_nobody_reads_stdout(home: Home) -> None:
    """A closed stdout ends neither the server nor with a traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.probe_server", "serve", "--home", str(home.state.parent)],
        cwd=ROOT, env=environment(), stdout=writer, stderr=subprocess.PIPE,
    ) as server:  # fmt: skip
        os.close(writer)
        eventually(lambda: command(home, "status").returncode == 0)
        server.terminate()
        _, errors = server.communicate(timeout=PATIENCE)
        assert server.returncode == 0
        assert b"Traceback" not in errors
        assert b"BrokenPipe" not in errors


def test_sudden_death(home: Home) -> None:
    """After kill -9 the next server takes the home, whatever the dead one left."""
    with serve(home) as server:
        server.line()
        server.process.kill()
        server.end()
        assert home.runtime_file.exists()
    assert command(home, "status").returncode == 1
    with serve(home) as server:
        assert READY.fullmatch(server.line())


def test_leased_server_ends_with_its_last_lease(home: Home) -> None:
    """Five seconds after it; a `serve` in a terminal would stay."""
    with serve(home, "--leased") as server:
        server.line()
        running = joining.find(home)
        assert running is not None
        with joining.lease(home, running) as first, joining.lease(home, running) as second:
            assert first.readline() == second.readline() == b"leased\n"
        began = time.monotonic()
        assert server.end(10) == 0
        assert time.monotonic() - began > 4


def test_loopback_only(home: Home) -> None:
    """No process of ours has a socket outside loopback."""
    with serve(home) as server:
        server.line()
        assert command(home, "status").returncode == 0
        process = psutil.Process(server.process.pid)
        sockets = [one for each in (process, *process.children(recursive=True)) for one in each.net_connections("inet")]
        assert {one.laddr.ip for one in sockets} <= {"127.0.0.1", "::1"}
        assert any(one.status == psutil.CONN_LISTEN for one in sockets)


def test_first_answer_is_early(home: Home) -> None:
    """A client that connects at once waits in the backlog, and is answered within three seconds of the process's start."""
    began = time.monotonic()
    with serve(home):
        eventually(home.runtime_file.exists)
        assert joining.find(home, timeout=PATIENCE) is not None
        elapsed = time.monotonic() - began
    assert elapsed < 3 * float(os.environ.get("OWNSONA_TEST_SLOWNESS", "2"))


def test_a_full_disk(tmp_path: Path) -> None:
    """A server that cannot even write down where it is says so in one line."""
    with mounted(tmp_path / "small", "1m"):
        home = Home.at(tmp_path / "small" / "home")
        home.create()
        with contextlib.suppress(OSError), (tmp_path / "small" / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(bytes(4096)):
                pass
        done = command(home, "serve", "--port", "0")
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r".*No space left on device.*\n", done.stderr)
