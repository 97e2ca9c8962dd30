"""The frames that server and embedding worker exchange over the worker's stdin and stdout.

A frame is a JSON object and, after it, raw bytes: two unsigned 32-bit little-endian lengths, the JSON, the bytes.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

LENGTHS = struct.Struct("<II")


class FrameError(Exception):
    """The stream ended inside a frame."""


def write_frame(stream: BinaryIO, header: dict[str, Any], content: bytes = b"") -> None:
    """Send one frame. JSON escapes every character outside ASCII, so a lone surrogate passes. Raises OSError."""
    text = json.dumps(header).encode("ascii")
    stream.write(LENGTHS.pack(len(text), len(content)) + text + content)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next frame, or None at the end of the stream. Raises FrameError, OSError."""
    lengths = stream.read(LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < LENGTHS.size:
        raise FrameError("the stream ended inside a frame")
    text_length, content_length = LENGTHS.unpack(lengths)
    text, content = stream.read(text_length), stream.read(content_length)
    if len(text) < text_length or len(content) < content_length:
        raise FrameError("the stream ended inside a frame")
    header: dict[str, Any] = json.loads(text)
    return header, content
