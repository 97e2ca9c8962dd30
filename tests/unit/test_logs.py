"""No text and no token gets into a log, at any level."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import logs
from server.paths import Home
from tests.web_support import PATIENCE, fetch, serving

MARKER = "MARKER-7f3a-of-a-memory"


@pytest.fixture
def written(tmp_path: Path) -> Iterator[io.StringIO]:
    """Logging as in the server, at DEBUG; afterwards as it was."""
    home = Home.at(tmp_path / "logged")
    home.create()
    root = logging.getLogger()
    before, level, raising = list(root.handlers), root.level, logging.raiseExceptions
    stream = io.StringIO()
    logs.set_up(home, "DEBUG", stream)
    try:
        yield stream
    finally:
        for handler in set(root.handlers) - set(before):
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)
        logging.raiseExceptions = raising
        if sys.platform != "win32":
            assert (home.logs / "server.log").stat().st_mode & 0o777 == 0o600
        assert (home.logs / "server.log").read_text() == stream.getvalue()


def test_own_and_foreign_records(written: io.StringIO) -> None:
    """Own sentences are kept; of a library's, the place."""
    logging.getLogger("server.web").debug("our own %d", 1)
    logging.getLogger("serverless").debug(MARKER)
    logging.getLogger("mcp.server").info(MARKER)
    logging.getLogger("mcp.server").warning("got %s", MARKER)
    logging.getLogger("asyncio").warning(f"got {MARKER}", stack_info=True)
    text = written.getvalue()
    assert "DEBUG server.web: our own 1" in text
    assert MARKER not in text
    assert text.count("(a library's message, test_logs.py:") == 2


def test_exceptions_without_their_texts(written: io.StringIO) -> None:
    """Type and place of the exception and of what led to it."""
    try:
        try:
            raise KeyError(MARKER)
        except KeyError as error:
            raise ValueError(MARKER) from error
    except ValueError:
        logging.getLogger("server").exception("It failed.")
    try:
        try:
            raise KeyError(MARKER)
        except KeyError:
            raise RuntimeError(MARKER) from None
    except RuntimeError:
        logging.getLogger("server").exception("It failed.")
    text = written.getvalue()
    assert MARKER not in text
    assert "ValueError\n  test_logs.py:" in text
    assert "caused by KeyError" in text
    assert text.count("KeyError") == 1


def test_requests_at_debug(tmp_path: Path, written: io.StringIO) -> None:
    """Requests of all kinds, good and bad, with a text, a token and a secret in each."""
    with serving(tmp_path / "home") as probe:
        assert probe.ready.wait(PATIENCE)
        token = probe.token()
        for tool in ("echo", "fail", "crash", "erase", MARKER):
            for version in ("2025-11-25", "2026-07-28"):
                probe.call(tool, {"text": MARKER}, token=token, MCP_Protocol_Version=version)
        modern = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        for arguments in ({"text": MARKER}, MARKER, [MARKER]):
            params = {"_meta": modern, "name": "crash", "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            probe.post(message, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="crash")
            probe.post(message)
        probe.post(f'{{"{MARKER}'.encode(), token=token)
        probe.post({"jsonrpc": "2.0", "id": MARKER, "method": MARKER, "params": {"x": MARKER}}, token=token)
        probe.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, token=MARKER)
        fetch(probe.port, "GET", f"/{MARKER}?token={MARKER}", {"Host": MARKER})
        fetch(probe.port, "GET", f"/oauth/{MARKER}?code={MARKER}", {"Origin": MARKER})
        secrets = [MARKER, token, probe.running.secret, probe.home.state.joinpath("owner-token").read_text()]
    text = written.getvalue()
    assert "server.web.protocol" in text  # the crash is there, with its place
    for secret in secrets:
        assert secret not in text
