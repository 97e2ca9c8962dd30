"""Clients that say nothing, or only half of what they have to say, keep nobody else out."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.web import connections, guards
from tests.web_support import PATIENCE, Probe, fetch, serving

FEW = 6


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Probe]:
    """A server that lets only FEW connections be open."""
    monkeypatch.setattr(connections, "connection_limit", lambda: FEW)
    with serving(tmp_path / "home") as running:
        assert running.ready.wait(PATIENCE)
        yield running


def beginnings(port: int) -> list[bytes]:
    """Nothing at all, half a head, half a body."""
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
    return [b"", head, head + b"Content-Length: 100\r\n\r\nabc"]


def closed(raw: socket.socket) -> bool:
    """Whether the other side has closed a connection without an answer; waits for it."""
    with contextlib.suppress(ConnectionResetError):
        return raw.recv(1) == b""
    return True


def test_idle_connections_give_way(small: Probe) -> None:
    """However many are opened, whoever asks something is answered, and the oldest silent ones are closed."""
    with contextlib.ExitStack() as stack:
        silent = []
        for number in range(4 * FEW):
            silent.append(stack.enter_context(socket.create_connection(("127.0.0.1", small.port), PATIENCE)))
            silent[-1].sendall(beginnings(small.port)[number % 3])
        assert small.call("echo").status == 200
        assert all(closed(raw) for raw in silent[: 3 * FEW])


def test_requests_under_way_stay(small: Probe) -> None:
    """A lease is open for hours, and newcomers do not push it out."""
    with contextlib.ExitStack() as stack:
        lease = stack.enter_context(socket.create_connection(("127.0.0.1", small.port), PATIENCE))
        token = (small.home.state / "owner-token").read_text()
        lease.sendall(f"GET /api/v1/lease HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert lease.recv(65536).startswith(b"HTTP/1.1 200")
        for _ in range(4 * FEW):
            stack.enter_context(socket.create_connection(("127.0.0.1", small.port), PATIENCE))
        assert small.owner("GET", "/status").json["leases"] == 1


def test_all_busy(small: Probe) -> None:
    """Where every connection is at work, it is the newcomer who is turned away."""
    with contextlib.ExitStack() as stack:
        token = (small.home.state / "owner-token").read_text()
        for _ in range(FEW):
            lease = stack.enter_context(socket.create_connection(("127.0.0.1", small.port), PATIENCE))
            lease.sendall(f"GET /api/v1/lease HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            assert lease.recv(65536).startswith(b"HTTP/1.1 200")
        newcomer = stack.enter_context(socket.create_connection(("127.0.0.1", small.port), PATIENCE))
        assert closed(newcomer)
    assert small.ready.is_set()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_request_must_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int) -> None:
    """A connection on which no whole request comes is closed."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    with serving(tmp_path / "home") as probe, socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as raw:
        raw.sendall(beginnings(probe.port)[which])
        assert closed(raw)
        assert fetch(probe.port, "GET", "/healthz").status == 200


def test_slow_answers_are_no_slow_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stops with the last byte of the request."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    with serving(tmp_path / "home") as probe, socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as lease:
        token = (probe.home.state / "owner-token").read_text()
        lease.sendall(f"GET /api/v1/lease HTTP/1.1\r\nHost: 127.0.0.1:{probe.port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert lease.recv(65536).startswith(b"HTTP/1.1 200")
        with socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as silent:
            assert closed(silent)
        assert probe.owner("GET", "/status").json["leases"] == 1


def test_bodies_of_strangers_are_kept_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What many send at once, before anybody knows who they are, does not pile up."""
    monkeypatch.setattr(guards, "MAX_ARRIVING", 100_000)
    with serving(tmp_path / "home") as probe, contextlib.ExitStack() as stack:
        senders = [stack.enter_context(socket.create_connection(("127.0.0.1", probe.port), PATIENCE)) for _ in range(2)]
        for sender in senders:
            sender.sendall(beginnings(probe.port)[1] + b"Content-Length: 90000\r\n\r\n" + b"a" * 80_000)
        answered, _, _ = select.select(senders, [], [], PATIENCE)
        assert [sender.recv(65536).split()[1] for sender in answered] == [b"503"]
        assert fetch(probe.port, "GET", "/healthz").status == 200
