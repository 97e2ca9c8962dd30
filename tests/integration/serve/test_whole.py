"""`ownsona serve` and `ownsona mcp` with the real database and the real model."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from server import joining
from server.endpoints import PATHS
from server.paths import Home
from tests.integration.serve.support import access_token, announced, call, family, gone, payload_of, post, serve
from tests.programs import eventually, program


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose database is made once, by the first test."""
    return Home.at(tmp_path_factory.mktemp("whole") / "home")


def test_round_trip(home: Home) -> None:
    """What is remembered is recalled; a call that comes before the database is up waits for it."""
    with serve(home) as server:
        eventually(home.runtime_file.exists)
        stored = call(home, "remember", text="The person's cat is called Miez.")
        assert stored["ok"] is True
        assert server.line().startswith(b"OwnSona ready at ")
        found = call(home, "recall", query="name of the cat")
        assert found["matches"][0]["id"] == stored["memory_id"]
        running = announced(home)
        [entry] = joining.ask(home, running, "GET", "/journal")["entries"]
        assert (entry["tool"], entry["actor"]) == ("remember", "ownsona token")
        assert joining.ask(home, running, "POST", f"/journal/{entry['id']}/undo")["ids"] == [stored["memory_id"]]
        with pytest.raises(joining.LocalApiError, match="no such journal entry"):
            joining.ask(home, running, "POST", "/journal/999999/undo")
        sockets = [one for process in family(server) for one in process.net_connections("inet")]
        assert {one.laddr.ip for one in sockets} <= {"127.0.0.1", "::1"}
        processes = family(server)
        began = time.monotonic()
        server.process.terminate()
        assert server.end(10) == 0
        assert time.monotonic() - began < 10
        assert gone(processes)
        assert b"Miez" not in b"".join(server.errors) + (home.logs / "server.log").read_bytes()


def test_profiles(home: Home) -> None:
    """The small endpoints list less, and need tokens of their own."""
    with serve(home) as server:
        server.line()
        running = announced(home)
        count = {}
        for name, own_path in PATHS.items():
            token = access_token(home, running.issuer, f"http://127.0.0.1:{running.port}{own_path}")
            answers = {path: post(home, "tools/list", path, token) for path in PATHS.values()}
            assert [path for path, answer in answers.items() if answer.status == 200] == [own_path]
            count[name] = len(answers[own_path].json["result"]["tools"])
        assert count == {"memories": 21, "core": 8, "readonly": count["readonly"]}
        assert 0 < count["readonly"] < 21


def test_sudden_death_of_the_server(home: Home) -> None:
    """After kill -9 nothing stays behind, and what was acknowledged is there at the next start."""
    with serve(home) as server:
        server.line()
        stored = call(home, "remember", text="The person plays the viola.")
        processes = family(server)
        assert len(processes) > 2
        server.process.kill()
        server.end()
        eventually(lambda: gone(processes))
        eventually(lambda: not home.runtime_file.exists())
    with serve(home) as server:
        server.line()
        assert call(home, "recall", query="which instrument")["matches"][0]["id"] == stored["memory_id"]


def test_restart_right_after_a_sudden_death(home: Home) -> None:
    """The next server does not trip over the one who cleans up."""
    with serve(home) as first:
        first.line()
        first.process.kill()
        with serve(home) as second:
            assert second.line().startswith(b"OwnSona ready at ")
            assert call(home, "recall", query="x")["ok"] is True


def test_sudden_death_of_the_database(home: Home) -> None:
    """It is started again, and calls that come meanwhile wait for it."""
    with serve(home) as server:
        server.line()
        postmaster = next(process for process in family(server) if process.name().startswith("postgres"))
        while (parent := postmaster.parent()) is not None and parent.name().startswith("postgres"):
            postmaster = parent
        postmaster.kill()
        eventually(lambda: call(home, "recall", query="x")["ok"] is True)
        running = announced(home)
        eventually(lambda: joining.ask(home, running, "GET", "/status")["status"] == "ready")


def test_bridge(home: Home) -> None:
    """`ownsona mcp` starts the server, answers, and lets it end."""
    with program("-m", "server.cli", "mcp", "--home", str(home.state.parent)) as bridge:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "An Editor", "version": "1"}}
        remember = {"name": "remember", "arguments": {"text": "The person drinks green tea."}}
        for number, (method, params) in enumerate([("initialize", client), ("tools/list", {}), ("tools/call", remember)]):
            bridge.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
            bridge.stdin.flush()
        answers = {answer["id"]: answer["result"] for answer in (json.loads(bridge.line()) for _ in range(3))}
        listed = answers[1]["tools"]
        assert answers[2]["structuredContent"]["ok"] is True
        assert listed == post(home, "tools/list").json["result"]["tools"]
        running = announced(home)
        assert joining.ask(home, running, "GET", "/journal")["entries"][0]["actor"] == "An Editor"
        server = psutil.Process(running.pid)
        bridge.stdin.close()
        assert bridge.end() == 0
    eventually(lambda: gone([server]))


def test_stop_during_the_first_start(tmp_path: Path) -> None:
    """A signal while the database is being made: an orderly end, and the next start works."""
    fresh = Home.at(tmp_path / "home")
    with serve(fresh) as server:
        eventually(lambda: b"Creating the database" in b"".join(server.errors))
        processes = family(server)
        server.process.terminate()
        assert server.end(20) == 0
        eventually(lambda: gone(processes))
    with serve(fresh) as server:
        assert server.line().startswith(b"OwnSona ready at ")


def test_database_elsewhere_that_is_not_there(tmp_path: Path) -> None:
    """The server stays, says what is wrong, and does not show the address's password."""
    with serve(Home.at(tmp_path / "home"), OWNSONA_DATABASE_URL="postgresql://me:hidden@127.0.0.1:1/x") as server:
        eventually(lambda: b"OWNSONA_DATABASE_URL" in b"".join(server.errors))
        error = call(Home.at(tmp_path / "home"), "recall", query="x")["error"]
        assert error["code"] == "DATABASE_ERROR"
        assert "OWNSONA_DATABASE_URL" in error["message"]
        server.process.terminate()
        assert server.end(10) == 0
        assert "hidden" not in server.complaint


def test_model_that_does_not_exist(tmp_path: Path) -> None:
    """Exit code 2 and the model's own advice."""
    with serve(Home.at(tmp_path / "home"), OWNSONA_EMBEDDING_MODEL="no-such-model") as server:
        assert server.end() == 2
        assert "no-such-model" in server.complaint
        assert "Traceback" not in server.complaint


def test_two_homes_on_one_database(tmp_path: Path, fresh_database: Any) -> None:
    """Past one machine: each home has its own key, and both know the other's through the database."""
    address = {"OWNSONA_DATABASE_URL": fresh_database(), "OWNSONA_PUBLIC_URL": "https://memory.example.org"}
    one, two = Home.at(tmp_path / "one"), Home.at(tmp_path / "two")
    with serve(one, **address) as first, serve(two, **address) as second:
        assert first.line().startswith(b"OwnSona ready")
        assert second.line().startswith(b"OwnSona ready")
        token = access_token(one, address["OWNSONA_PUBLIC_URL"], address["OWNSONA_PUBLIC_URL"] + "/mcp")
        assert payload_of(post(two, "tools/call", token=token, name="recall", arguments={"query": "x"}))["ok"] is True


def test_memory_of_all_processes(home: Home) -> None:
    """Server, database and model together stay well inside their bound."""
    if sys.platform != "linux":
        pytest.skip("proportional memory is measured on Linux alone")
    with serve(home) as server:
        server.line()
        assert call(home, "recall", query="x")["ok"] is True
        total = sum(process.memory_full_info().pss for process in family(server))
        assert total < 400_000_000
