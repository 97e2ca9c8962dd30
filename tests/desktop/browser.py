"""A real Chromium, driven over WebDriver by chromedriver; nothing but the standard library in between."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.programs import eventually

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's id, W3C WebDriver 12.1


class Chromium:
    """One window."""

    def __init__(self, port: int, profile: Path) -> None:
        self._port = port
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}"],
            "binary": shutil.which("chromium"),
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "acceptInsecureCerts": True,
        }
        self._session = ""
        self._session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def open(self, address: str) -> None:
        """Load a page, with its redirects."""
        self._ask("POST", "/url", {"url": address})

    @property
    def address(self) -> str:
        """Where the window is."""
        return str(self._ask("GET", "/url"))

    @property
    def source(self) -> str:
        """The page."""
        return str(self._ask("GET", "/source"))

    def type(self, selector: str, text: str) -> None:
        """Into a field."""
        self._ask("POST", f"/element/{self._find(selector)}/value", {"text": text})

    def click(self, selector: str) -> None:
        """A button or link."""
        self._ask("POST", f"/element/{self._find(selector)}/click", {})

    def run(self, script: str) -> Any:
        """What a script returns; for looking at pages of the tests, ours allow none."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def messages(self) -> str:
        """What the console has said since the last time."""
        return "\n".join(entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"}))

    def close(self) -> None:
        """The window and its processes."""
        self._ask("DELETE", "")

    def _find(self, selector: str) -> str:
        return str(self._ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT])

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        prefix = f"/session/{self._session}" if self._session else ""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            connection.request(method, prefix + path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        assert not (isinstance(value, dict) and "error" in value), value
        return value


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Chromium]:
    """A browser with a fresh profile; skips where there is none."""
    driver = shutil.which("chromedriver")
    if driver is None or shutil.which("chromium") is None:
        pytest.skip("chromium and chromium-driver are not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    process = subprocess.Popen([driver, f"--port={port}"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: _listens(port))
        browser = Chromium(port, folder / "profile")
        try:
            yield browser
        finally:
            browser.close()
    finally:
        process.terminate()
        process.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Pages:
    """Pages of another program on a port of its own; `asked` holds the paths that were asked for."""

    def __init__(self, context: Any = None) -> None:
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        pages: dict[str, str] = {}
        asked: queue.Queue[str] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != "/favicon.ico":
                    asked.put(self.path)
                body = pages.get(self.path, "<h1>arrived</h1>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing on stderr."""

        self.pages, self.asked = pages, asked
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
