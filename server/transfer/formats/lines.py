"""Plain text: one memory a line. Blank lines and lines that begin with # are passed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from server.transfer.formats.base import Entry, Format

MAX_LINE = 1 << 21  # characters


def sniff(head: str) -> bool:
    """Anything but what looks like JSON or a page of markup."""
    return not head.lstrip().startswith(("{", "<"))


def read(stream: TextIO) -> Iterator[Entry]:
    """A record for each line that says something."""
    place = 0
    while line := stream.readline(MAX_LINE):
        place += 1
        if len(line) == MAX_LINE and not line.endswith("\n"):
            while (rest := stream.readline(MAX_LINE)) and not rest.endswith("\n"):
                pass
            yield Entry(place, None, "The line is too long to be a memory.")
        elif (text := line.strip()) and not text.startswith("#"):
            yield Entry(place, {"text": text})


FORMAT = Format("lines", "line", sniff, read)
