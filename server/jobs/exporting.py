"""Memories of a selection as a file: JSON that `ownsona import` reads, CSV for spreadsheets, Markdown for reading."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from server.jobs.registry import JobError, Progress
from server.memory.model import Memory
from server.toolsets.memories.rows import full_row

Format = Literal["json", "csv", "markdown"]
ROWS_AT_ONCE = 1000
COLUMNS = (
    "id", "text", "tags", "importance", "created_at", "updated_at", "last_confirmed_at", "expires_at", "deleted_at", "source_provider",
    "source_client", "session_id",
)  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run what begins so


def export(rows: Callable[[Sequence[int]], Sequence[Memory]], ids: Sequence[int], form: Format, path: Path, progress: Progress) -> str:
    """Write memories to a new file that only its owner may read; the sentence that says so. Raises JobError, Cancelled."""
    writers: dict[Format, Callable[[IO[str], Iterator[Memory]], None]] = {"json": _json, "csv": _csv, "markdown": _markdown}
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise JobError(f"There is a file {path.name} already. Choose another name.") from None
    except OSError as error:
        raise JobError(f"The file cannot be written ({error.strerror}). Choose another folder.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            writers[form](file, _pages(rows, ids, progress))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise JobError(f"The file could not be written to its end ({error.strerror}). Make room, then try again.") from None
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return f"Exported to {path.name}."


def _pages(rows: Callable[[Sequence[int]], Sequence[Memory]], ids: Sequence[int], progress: Progress) -> Iterator[Memory]:
    for start in range(0, len(ids), ROWS_AT_ONCE):
        progress.at(start, len(ids))
        yield from rows(ids[start : start + ROWS_AT_ONCE])
    progress.at(len(ids), len(ids))


def _json(file: IO[str], memories: Iterator[Memory]) -> None:
    file.write('{"ok": true, "memories": [')
    separator = "\n"
    for memory in memories:
        file.write(separator + json.dumps(full_row(memory), ensure_ascii=False))
        separator = ",\n"
    file.write("\n]}\n")


def _csv(file: IO[str], memories: Iterator[Memory]) -> None:
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for memory in memories:
        writer.writerow([_cell(getattr(memory, name)) for name in COLUMNS])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = ", ".join(value) if isinstance(value, list) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text


def _markdown(file: IO[str], memories: Iterator[Memory]) -> None:
    file.write("# Memories\n")
    for memory in memories:
        text = memory.text.replace("\n", "\n  ")
        tags = " ".join(f"`#{tag}`" for tag in memory.tags)
        file.write(f"\n- {text}\n  <small>{memory.created_at:%Y-%m-%d}</small>{' ' + tags if tags else ''}\n")
