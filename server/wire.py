"""JSON as it goes over a wire: in UTF-8 and without blanks. Standard library only."""

from __future__ import annotations

import json


def compact(value: object) -> bytes:
    """The JSON of a value. Raises UnicodeEncodeError for half a surrogate pair, RecursionError, TypeError."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
