"""Put before a program by PYTHONPATH: writes down every address that its Python code binds, connects to or looks up."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_FILE = os.environ.get("SOCKET_AUDIT")
_EVENTS = {"socket.connect": 1, "socket.bind": 1, "socket.sendto": 1, "socket.getaddrinfo": 0, "socket.gethostbyname": 0}


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS and _FILE:
        where = arguments[_EVENTS[event]]
        host = where[0] if isinstance(where, tuple) else where
        with Path(_FILE).open("a", encoding="utf-8") as file:
            file.write(f"{event} {host!r}\n")


sys.addaudithook(_note)
