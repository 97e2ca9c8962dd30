"""Reading large JSON a value at a time, and going on behind a value that is damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO

from server.transfer.formats.base import Entry, FileError

CHUNK = 1 << 16  # characters
MAX_VALUE = 1 << 24  # characters of one value, beyond which it is given up

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^,\]}\s]+")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_PART = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\]]', re.DOTALL)
_OPENING, _CLOSING = "{[", "}]"


class BadValueError(Exception):
    """One value is damaged; its end was found, so what follows can be read."""


class Scanner:
    """A position in a stream of JSON. No more than one value and one chunk are held."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = ""
        self._at = 0
        self._ended = False
        self._decoder = json.JSONDecoder(parse_constant=_no_constant)

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, char: str) -> bool:
        """Go behind this character, if it is the next one."""
        if self.peek() != char:
            return False
        self._at += 1
        return True

    def value(self) -> Any:
        """The next value. Raises BadValueError, or FileError where its end is not to be found."""
        self.peek()
        while True:
            end = None
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except (ValueError, RecursionError):
                if (behind := self._end_of_value()) is not None:
                    self._at = behind
                    raise BadValueError from None
            # A number at the end of what was read so far may go on.
            if end is not None and (end < len(self._buffer) or self._ended):
                self._at = end
                return value
            if len(self._buffer) - self._at > MAX_VALUE:
                raise FileError("one value is too large to be a memory, or its end is missing")
            if not self._more() and end is None:
                raise FileError("the file ends in the middle of a value; it may have been cut off")

    def _more(self) -> bool:
        """Read on; at least as much again as is held, so that a long value is looked at a few times only."""
        chunk = self._stream.read(max(CHUNK, len(self._buffer) - self._at))
        self._buffer, self._at = self._buffer[self._at :] + chunk, 0
        self._ended = not chunk
        return not self._ended

    def _end_of_value(self) -> int | None:
        """Where the value at hand ends by its quotes and brackets, or None where that is not in what was read so far."""
        first = self._buffer[self._at : self._at + 1]
        if first not in _OPENING or not first:
            match = _STRING.match(self._buffer, self._at) if first == '"' else _SCALAR.match(self._buffer, self._at)
            return match.end() if match and (match.end() < len(self._buffer) or self._ended) else None
        depth = 0
        for part in _PART.finditer(self._buffer, self._at):
            if part[0] == '"':  # a string without an end
                return None
            depth += (part[0] in _OPENING) - (part[0] in _CLOSING)
            if depth == 0:
                return part.end()
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def items(scanner: Scanner) -> Iterator[Entry]:
    """The elements of the array at hand: texts or objects. Raises FileError where the array itself is damaged."""
    scanner.take("[")
    if scanner.take("]"):
        return
    place = 0
    while True:
        place += 1
        if scanner.peek() in ",]}:":  # nothing, or what cannot begin a value
            raise FileError(f"the file is damaged at record {place}, so nothing behind it was read")
        try:
            yield _entry(place, scanner.value())
        except BadValueError:
            yield Entry(place, None, "It is not valid JSON.")
        except FileError as error:
            raise FileError(f"at record {place}: {error}") from None
        if scanner.take("]"):
            return
        if not scanner.take(","):
            raise FileError(f"the file is damaged behind record {place}, or was cut off there; nothing behind it was read")


def _entry(place: int, value: object) -> Entry:
    if isinstance(value, str):
        return Entry(place, {"text": value})
    if isinstance(value, dict):
        return Entry(place, value)
    return Entry(place, None, "A record must be a text or an object.")
