"""The local API: the owner's token, the challenge, leases, the journal."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest

from server import joining
from tests.web_support import PATIENCE, Probe, fetch, rpc_headers, serving


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/status"), ("POST", "/stop"), ("GET", "/lease"), ("GET", "/journal"), ("GET", "/nothing")]
)
def test_owner_only(probe: Probe, method: str, path: str) -> None:
    """Neither without a token, nor with a client's access token."""
    assert fetch(probe.port, method, f"/api/v1{path}").status == 401
    for token in (probe.token(), "x", "é"):
        assert probe.owner(method, path, token).status == 401


def test_status(probe: Probe) -> None:
    """What `ownsona status` shows; no secret is in it."""
    answer = probe.owner("GET", "/status")
    assert answer.json["status"] == "ready"
    assert answer.json["url"] == f"http://127.0.0.1:{probe.port}/mcp"
    assert probe.running.secret.encode() not in answer.body


def test_challenge(probe: Probe) -> None:
    """The server proves that it knows the secret of the home, and is found by that alone."""
    assert joining.find(probe.home) == probe.running
    assert not joining.proves(joining.Running(probe.port, 1, "another secret", 0.0, ""))


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"nonce": 1}', b'{"nonce": "short"}', b'{"nonce": "' + b"x" * 129 + b'"}'])
def test_bad_challenge(probe: Probe, body: bytes) -> None:
    """A nonce that is none."""
    assert fetch(probe.port, "POST", "/api/v1/challenge", None, body).status == 400


def test_journal(probe: Probe) -> None:
    """Pages of the journal, and undo with its refusals."""
    assert probe.owner("GET", "/journal").json["entries"] == [{"id": 2}, {"id": 1}]
    assert probe.owner("GET", "/journal?limit=1").json["entries"] == [{"id": 2}]
    assert probe.owner("GET", "/journal?limit=5&before=2").json["entries"] == [{"id": 1}]
    for query in ("limit=0", "limit=501", "limit=x", "before=x", "before=-1", "limit=" + "9" * 30):
        assert probe.owner("GET", f"/journal?{query}").status == 400
    assert probe.owner("POST", "/journal/1/undo").json == {"ok": True, "undone": 1}
    assert probe.owner("POST", "/journal/2/undo").status == 409
    for unknown in ("3", "x", "-1", "9" * 30, "9" * 5000):
        assert probe.owner("POST", f"/journal/{unknown}/undo").status == 404


def test_lease_counts(tmp_path: Path) -> None:
    """A lease is held for as long as the connection is open, and ends with the server."""
    with serving(tmp_path / "home", permanent=False) as probe:
        assert probe.ready.wait(PATIENCE)
        with joining.lease(probe.home, probe.running) as response:
            assert response.readline() == b"leased\n"
            assert probe.owner("GET", "/status").json["leases"] == 1
            probe.owner("POST", "/stop")
            assert response.read() == b""
        probe.thread.join(PATIENCE)
        assert probe.outcome == [True]


def test_ends_after_the_last_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs the server any more: it stops by itself after the grace."""
    monkeypatch.setattr("server.leases.GRACE", 0.1)
    with serving(tmp_path / "home", permanent=False) as probe:
        with joining.lease(probe.home, probe.running) as response:
            assert response.readline() == b"leased\n"
        probe.thread.join(PATIENCE)
        assert probe.outcome == [True]


def test_refused_lease(probe: Probe, tmp_path: Path) -> None:
    """With the token of another home there is no lease."""
    from server.paths import Home

    other = Home.at(tmp_path / "other")
    with pytest.raises(ConnectionError), joining.lease(other, probe.running):
        pass
    with pytest.raises(joining.LocalApiError, match="owner"):
        joining.ask(other, probe.running, "GET", "/status")


def test_requests_under_way_finish(tmp_path: Path) -> None:
    """A stop lets a call that has begun come to its end."""
    with serving(tmp_path / "home") as probe:
        assert probe.ready.wait(PATIENCE)
        connection = http.client.HTTPConnection("127.0.0.1", probe.port, timeout=PATIENCE)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
        connection.request("POST", "/mcp", json.dumps(message), rpc_headers(probe.token()))
        assert probe.parts.toolset.entered.acquire(timeout=PATIENCE)
        probe.runtime.request_stop()
        probe.parts.toolset.release.set()
        assert json.loads(connection.getresponse().read())["result"]["isError"] is False
        connection.close()
