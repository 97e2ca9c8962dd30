"""The command line's way to the server: find or start it, wait until it can do what is asked, carry files out and records in."""

from __future__ import annotations

import contextlib
import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from server.endpoints import DEFAULT_TOOLSET
from server.forwarding import Link, ServerUnavailableError
from server.joining import API, LocalApiError, Running, ask, connect, owner_headers
from server.paths import Home

TIMEOUT = 600.0  # seconds for one step: hundreds of long texts go through the model
LOOK = 0.2  # seconds between looks at a server that is still starting
RETRIES = 3  # of a step that the server could not do now
READ_BYTES = 1 << 16
LOST = "The server stopped before it answered."


class Server:
    """The server of a home, kept alive for as long as this object is used. Every method may raise LocalApiError."""

    def __init__(self, home: Home, command: list[str] | None = None) -> None:
        self._home = home
        self._link = Link(home, DEFAULT_TOOLSET, command)

    def wait_for(self, *stages: str, waiting: Callable[[str], None] = lambda _: None) -> None:
        """Return when these stages are ready. `waiting` is told the name of the one that is not."""
        while True:
            states = {stage["name"]: stage for stage in ask(self._home, self._running(), "GET", "/status")["stages"]}
            late = next((name for name in stages if states[name]["state"] != "ready"), None)
            if late is None:
                return
            if states[late]["state"] == "failed":
                raise LocalApiError(str(states[late]["advice"] or f"The server's {late} does not start."))
            waiting(late)
            time.sleep(LOOK)

    def export(self, form: str) -> Iterator[bytes]:
        """The file in this format, as it comes. An end that is not its end raises LocalApiError too."""
        with self._request("GET", f"/export?format={form}", None) as response:
            if response.status != 200:
                raise LocalApiError(_reason(response))
            try:
                while piece := response.read1(READ_BYTES):
                    yield piece
            except (OSError, http.client.HTTPException):
                raise LocalApiError("The server broke off, so the export is not whole. Try again.") from None

    def take(
        self, records: Sequence[bytes], known: Mapping[int, int], links: Sequence[tuple[int, int]], *, dry_run: bool
    ) -> dict[str, Any]:
        """One step of an import. `records` are JSON objects, encoded already."""
        rest = json.dumps({"known": list(known.items()), "links": links, "dry_run": dry_run}).encode()
        body = b'{"records": [' + b",".join(records) + b"], " + rest[1:]
        for left in range(RETRIES, -1, -1):
            with self._request("POST", "/import", body) as response:
                if response.status == 200:
                    return _json(response)
                if response.status != 503 or not left:
                    raise LocalApiError(_reason(response))
            self.wait_for("database", *([] if dry_run else ["model"]))
        raise AssertionError("the last attempt returns or raises")

    def _running(self) -> Running:
        try:
            return self._link.server()
        except ServerUnavailableError as error:
            raise LocalApiError(str(error)) from None

    @contextlib.contextmanager
    def _request(self, method: str, path: str, body: bytes | None) -> Iterator[http.client.HTTPResponse]:
        running = self._running()
        headers = {"Content-Type": "application/json", **owner_headers(self._home)}
        with contextlib.closing(connect(running, TIMEOUT)) as connection:
            try:
                connection.request(method, f"{API}{path}", body, headers)
                response = connection.getresponse()
            except (OSError, http.client.HTTPException):
                raise LocalApiError(LOST) from None
            yield response


def _json(response: http.client.HTTPResponse) -> dict[str, Any]:
    try:
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        raise LocalApiError(LOST) from None
    return answer if isinstance(answer, dict) else {}


def _reason(response: http.client.HTTPResponse) -> str:
    error = _json(response).get("error")
    return str(error.get("message")) if isinstance(error, dict) else f"The running server refused with status {response.status}."
