"""A JSON array of texts, or of objects that have a `text`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from server.transfer.formats.base import Entry, Format
from server.transfer.formats.json_stream import Scanner, items

# A text may begin with a bracket too: "[2026-02-03] - Prefers metric units". Then something other than JSON follows the bracket.
_LINE = re.compile(r"\s*\[[^\"{\[\]\n]*\][ \t]*[^\s,]")


def sniff(head: str) -> bool:
    """A bracket that is not just the beginning of a line of text."""
    return head.lstrip().startswith("[") and _LINE.match(head) is None


def read(stream: TextIO) -> Iterator[Entry]:
    """The elements. Raises FileError."""
    return items(Scanner(stream))


FORMAT = Format("array", "record", sniff, read)
