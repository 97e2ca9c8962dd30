"""The export of the memories contract: `{"ok": true, "count": n, "memories": […]}`, one memory a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from server.memory.model import Memory
from server.toolsets.memories.rows import full_row
from server.transfer.formats.base import Entry, FileError, Format
from server.transfer.formats.json_stream import BadValueError, Scanner, items

_BEGINNING = re.compile(r'\s*\{.*?"memories"\s*:\s*\[', re.DOTALL)


def sniff(head: str) -> bool:
    """An object with a list of memories near its beginning."""
    return _BEGINNING.match(head) is not None


def read(stream: TextIO) -> Iterator[Entry]:
    """The records of `memories`; other members are passed over. Raises FileError."""
    scanner = Scanner(stream)
    scanner.take("{")
    found = False
    while not scanner.take("}"):
        try:
            name = scanner.value() if scanner.peek() == '"' else None
            if not isinstance(name, str) or not scanner.take(":"):
                raise FileError("the JSON of the file is damaged outside its memories, or was cut off")
            if name == "memories" and scanner.peek() == "[":
                found = True
                yield from items(scanner)
            else:
                scanner.value()
        except BadValueError:
            raise FileError("the JSON of the file is damaged outside its memories") from None
        scanner.take(",")
    if not found:
        raise FileError("it holds no list of memories")


def write(count: int, memories: Iterable[Memory]) -> Iterator[str]:
    """The lines of an export."""
    yield f'{{"ok": true, "count": {count}, "memories": ['
    separator = "\n"
    for memory in memories:
        yield separator + json.dumps(full_row(memory), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


FORMAT = Format("ownsona", "record", sniff, read, write)
