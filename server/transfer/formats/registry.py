"""All formats, and telling which one a file is in by what it holds, never by its name."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO

from server.transfer.formats import array, lines, ownsona
from server.transfer.formats.base import HEAD_CHARS, FileError, Format

# The first whose `sniff` says yes; the one that takes nearly everything stands last.
FORMATS: tuple[Format, ...] = (ownsona.FORMAT, array.FORMAT, lines.FORMAT)
DEFAULT = ownsona.FORMAT.name
WRITERS = {one.name: one.write for one in FORMATS if one.write is not None}

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def recognise(file: BinaryIO) -> tuple[Format, io.TextIOWrapper]:
    """The format of a seekable file, and the file as text from its beginning. Raises FileError.

    Bytes that are not UTF-8 become lone surrogates, so that they spoil the record that they stand in and no other.
    """
    head = file.read(HEAD_CHARS)
    file.seek(0)
    if head.startswith(_UTF16):
        raise FileError("it is in UTF-16. Save it as UTF-8, then try again")
    if b"\0" in head:
        raise FileError("it is not a text file in UTF-8. Give an export of OwnSona, a JSON array of texts, or plain lines")
    text = head.decode("utf-8-sig", "replace")
    for one in FORMATS:
        if one.sniff(text):
            return one, io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape")
    raise FileError("its format is not known. Give an export of OwnSona, a JSON array of texts, or plain lines")
