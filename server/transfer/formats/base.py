"""What a format is, and what reading a file of it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from server.memory.model import Memory

HEAD_CHARS = 65536  # of a file that the formats see to tell whether it is theirs


class FileError(Exception):
    """A file cannot be read, or not to its end; the message says why and what to do, and never quotes the file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file, not checked yet: its values as the server takes them, or what is wrong with it."""

    place: int  # counted from 1: line or record, as the format counts
    values: Mapping[str, Any] | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    `sniff` sees the file's beginning. `read` gives the records as they are consumed and may raise FileError at any of them.
    `write` makes the lines of a file, with their ends, out of the number of memories and the memories.
    """

    name: str
    unit: Literal["line", "record"]
    sniff: Callable[[str], bool]
    read: Callable[[TextIO], Iterator[Entry]]
    write: Callable[[int, Iterable[Memory]], Iterator[str]] | None = None
