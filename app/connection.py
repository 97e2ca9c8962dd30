"""HTTP to the local server: kept-alive connections for calls, open answers for streams. No Qt."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1"
TIMEOUT = 60.0  # seconds; the longest calls are jobs, and those answer at once
PIECE = 1 << 16  # bytes that are read of a stream at once
MAX_LINE = 1 << 20  # bytes of one line of a stream


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and JSON body of one call; the body is {} where it was not an object."""

    status: int
    body: dict[str, Any]


class Connection:
    """One kept-alive connection, for one thread at a time."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self._http = http.client.HTTPConnection(HOST, port, timeout=TIMEOUT)
        self._headers = {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Reply:
        """One request and its whole answer. Raises OSError, http.client.HTTPException or ValueError where there is none."""
        if self._closed_by_server():
            # A write must not be sent twice, so a dead connection has to be seen before, not after.
            self._http.close()
        content = None if body is None else json.dumps(body).encode()
        headers = self._headers if content is None else {**self._headers, "Content-Type": "application/json"}
        try:
            self._http.request(method, path, content, headers)
            response = self._http.getresponse()
            answer = json.loads(response.read())
        except BaseException:
            self._http.close()  # half an answer may be left on it
            raise
        return Reply(response.status, answer if isinstance(answer, dict) else {})

    def close(self) -> None:
        """Close; a later call opens it again."""
        self._http.close()

    def _closed_by_server(self) -> bool:
        # Between two calls nothing is due, so a readable socket means that the other side has closed it.
        return self._http.sock is not None and bool(select.select([self._http.sock], [], [], 0)[0])


class Stream:
    """An answer that stays open. `close` may be called from any thread and ends `lines`.

    `complete` after the end: the server ended the answer in order, and was not cut off.
    """

    def __init__(self, port: int, token: str, path: str, headers: Mapping[str, str] | None = None, timeout: float | None = None) -> None:
        """Open it. Raises OSError where it cannot be had."""
        self._lock = threading.Lock()
        self._closed = False
        self.complete = False
        self._http = http.client.HTTPConnection(HOST, port, timeout=timeout)
        try:
            self._http.request("GET", path, headers={"Authorization": f"Bearer {token}", **(headers or {})})
            self._socket = self._http.sock
            self._response = self._http.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise ConnectionError("The server did not open the stream.") from error
        if self._response.status != 200:
            self._response.close()
            self._http.close()
            raise ConnectionError(f"The server refused the stream with status {self._response.status}.")

    def lines(self) -> Iterator[str]:
        """Lines without their ends until either side closes, or nothing comes for the timeout."""
        rest = b""
        try:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                # Not readline: it hides that an answer broke off.
                while len(rest) <= MAX_LINE and (piece := self._response.read1(PIECE)):
                    *whole, rest = (rest + piece).split(b"\n")
                    for line in whole:
                        yield line.decode("utf-8", "replace").rstrip("\r")
                self.complete = not piece
        finally:
            with self._lock:
                self._closed = True
                self._response.close()
                self._http.close()

    def close(self) -> None:
        """End it."""
        with self._lock, contextlib.suppress(OSError):
            if not self._closed:
                # Closing would leave a reader in another thread waiting; shutting down wakes it.
                self._socket.shutdown(socket.SHUT_RDWR)
