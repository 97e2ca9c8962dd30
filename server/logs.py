"""Logging: to stderr and to a file of the home. Texts of memories and tokens never get in, whatever the level.

Own modules log sentences without such values. Libraries are not trusted with that: below WARNING they are silent, and of
their warnings only the place is kept. Of exceptions type and place are kept, never the text, which may quote a row.
"""

from __future__ import annotations

import copy
import logging
import logging.handlers
import os
import traceback
from pathlib import Path
from types import TracebackType
from typing import TextIO

from server.paths import Home

OWN = "server"
LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MAX_BYTES = 1_000_000
OLD_FILES = 3

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class ScrubbingFormatter(logging.Formatter):
    """Formats own records as they are, and those of libraries by their place alone."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as text."""
        record = copy.copy(record)
        record.exc_text = None  # what another formatter has left there is its own text, not ours
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the base class names it
        if not _own(record.name):
            record.message = f"(a library's message, {Path(record.pathname).name}:{record.lineno})"
        return super().formatMessage(record)

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802  the base class names it
        """Types and places, for the exception and what led to it."""
        lines: list[str] = []
        error = ei[1]
        while error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            lines.append(
                type(error).__qualname__ + "".join(f"\n  {Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
            )
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\ncaused by ".join(lines)

    def formatStack(self, stack_info: str) -> str:  # noqa: N802  the base class names it
        """Nothing: a stack shows source lines of libraries only."""
        return ""


class QuietLibraries(logging.Filter):
    """Lets through all own records, and those of libraries from WARNING on."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _own(record.name) or record.levelno >= logging.WARNING


class PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    """A rotating file that only its owner may read."""

    def _open(self) -> TextIO:  # type: ignore[override]  # the stub narrows the stream's class; any text stream serves
        return os.fdopen(os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")


def set_up(home: Home, level: str, stream: TextIO) -> None:
    """Log to `stream` and to `server.log` in the home's logs. Raises OSError."""
    handlers: list[logging.Handler] = [
        logging.StreamHandler(stream),
        PrivateRotatingFile(home.logs / "server.log", maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8"),
    ]
    root = logging.getLogger()
    root.setLevel(level)
    logging.raiseExceptions = False  # a broken stderr must not end the server
    for handler in handlers:
        handler.setFormatter(ScrubbingFormatter(LINE))
        handler.addFilter(QuietLibraries())
        root.addHandler(handler)


def _own(name: str) -> bool:
    return name == OWN or name.startswith(f"{OWN}.")
