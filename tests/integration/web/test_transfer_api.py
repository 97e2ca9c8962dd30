"""Import and export over HTTP, over a probe of the transfer itself."""

from __future__ import annotations

import json

import pytest

from server.joining import owner_headers
from tests.web_support import Probe, fetch


def send(probe: Probe, body: bytes) -> tuple[int, dict[str, object]]:
    """One step."""
    answer = fetch(probe.port, "POST", "/api/v1/import", owner_headers(probe.home), body)
    return answer.status, answer.json


def test_owner_only(probe: Probe) -> None:
    """Neither without a token, nor with a client's access token."""
    for method, path in (("GET", "/export"), ("POST", "/import")):
        assert fetch(probe.port, method, f"/api/v1{path}").status == 401
        assert probe.owner(method, path, probe.token()).status == 401
    assert probe.owner("GET", "/import").status == 405


def test_export(probe: Probe) -> None:
    """All pieces, and no cache keeps them."""
    answer = probe.owner("GET", "/export")
    assert (answer.status, answer.body) == (200, b"first second")
    assert answer.all("cache-control") == ["no-store"]
    assert answer.all("content-length") == []
    answer = probe.owner("GET", "/export?format=papyrus")
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_INPUT")


def test_export_without_database(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first piece it is a plain refusal; after it the answer breaks off."""
    monkeypatch.setattr(probe.parts.transfer, "fails_at", 0)
    answer = probe.owner("GET", "/export")
    assert (answer.status, answer.json["error"]["code"]) == (503, "DATABASE_ERROR")


def test_import(probe: Probe) -> None:
    """The body goes through as it is."""
    assert send(probe, b'{"records": ["\xc3\xa9"]}') == (200, {"ok": True, "taken": {"records": ["é"]}})


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "INVALID_INPUT"),
        (b"{", 400, "INVALID_INPUT"),
        (b"[" * 200_000, 400, "INVALID_INPUT"),
        (b"\xff", 400, "INVALID_INPUT"),
        (json.dumps("refuse").encode(), 400, "INVALID_INPUT"),
        (json.dumps("conflict").encode(), 409, "CONFLICT"),
        (json.dumps("embed").encode(), 503, "EMBEDDING_ERROR"),
        (json.dumps("store").encode(), 503, "DATABASE_ERROR"),
        (b"x" * (4 * 1024 * 1024 + 1), 413, "LIMIT_EXCEEDED"),
    ],
)
def test_refusals(probe: Probe, body: bytes, status: int, code: str) -> None:
    """Each kind of fault has a status of its own."""
    got, answer = send(probe, body)
    assert got == status
    assert isinstance(answer["error"], dict)
    assert answer["error"]["code"] == code
