"""The search box's language as text: making terms and putting them together. No Qt, no server."""

from __future__ import annotations

import enum
import re

PLAIN = re.compile(r"[^\s\"():]+")
PIECES = re.compile(r'-?(?:[\w-]+:)?"[^"]*"|\S+')


class Join(enum.Enum):
    """How a click in the sidebar meets the query that is there."""

    REPLACE = "replace"
    ADD = "add"
    EITHER = "either"
    WITHOUT = "without"


def term(key: str, value: str) -> str:
    """`key:value`, the value in quotes where it needs them."""
    return f"{key}:{value}" if PLAIN.fullmatch(value) else f'{key}:"{value.replace(chr(34), "")}"'


def joined(query: str, new: str, how: Join) -> str:
    """The query with one more term; adding a term that is there takes it out."""
    query = query.strip()
    if how is Join.REPLACE:
        return new
    pieces = PIECES.findall(query)
    if how is Join.ADD and new in pieces:
        pieces.remove(new)
        return " ".join(pieces)
    if how is Join.WITHOUT:
        new = f"-{new}"
        return query if new in pieces else f"{query} {new}".strip()
    if not query:
        return new
    return f"{query} OR {new}" if how is Join.EITHER else f"{query} {new}"
