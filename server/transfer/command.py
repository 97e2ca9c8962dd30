"""What `ownsona export` and `ownsona import` do: files on one side, the server on the other, and what the person is told."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

from server.joining import LocalApiError
from server.transfer.client import Server
from server.transfer.formats.registry import recognise
from server.transfer.sending import Sending, Tally

STANDARD = "-"  # the name of stdin and stdout


class TargetError(Exception):
    """The file cannot be written, or one to be read is not there; the message says what to do."""


class Progress:
    """One line on a terminal that is written over again and again; nothing where there is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._width = 0

    def show(self, text: str) -> None:
        """Write this over what was shown before."""
        if self._stream is not None:
            self._stream.write("\r" + text.ljust(self._width))
            self._stream.flush()
            self._width = len(text)

    def clear(self) -> None:
        """Leave an empty line for what is said next."""
        if self._width:
            self.show("")
            self.show("\r")
            self._width = 0


def waiting(progress: Progress) -> Callable[[str], None]:
    """Tells which part of the server is waited for."""
    return lambda stage: progress.show(f"Waiting for the {stage}…")


def export_file(server: Server, name: str, form: str, *, force: bool, progress: Progress) -> None:
    """Write everything to a file, whole or not at all, or to stdout. Raises TargetError, LocalApiError, BrokenPipeError."""
    with contextlib.ExitStack() as stack:
        stack.callback(progress.clear)
        target = sys.stdout.buffer if name == STANDARD else stack.enter_context(replacing(Path(name), force=force))
        server.wait_for("database", waiting=waiting(progress))
        written = 0
        for piece in server.export(form):
            target.write(piece)
            written += len(piece)
            if name != STANDARD:  # which may be the same terminal
                progress.show(f"{written / 1e6:.1f} MB…")
        target.flush()


@contextlib.contextmanager
def replacing(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file that gets its name, readable by its owner only, when the block ends well, and else leaves no trace. Raises TargetError."""
    if path.is_dir() or (path.exists() and not (force and path.is_file())):
        kind = "is there already. Give another name, or --force to replace it" if path.is_file() else "is not a file. Give another name"
        raise TargetError(f"{path} {kind}.")
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600
    except OSError as error:
        raise TargetError(f"{path} cannot be written: {error.strerror}.") from None
    temporary = Path(made)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise TargetError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file to read, which can be rewound. Raises TargetError."""
    try:
        with contextlib.ExitStack() as stack:
            file: BinaryIO = sys.stdin.buffer if name == STANDARD else stack.enter_context(Path(name).open("rb"))
            if name == STANDARD or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a pipe cannot be rewound; nobody else sees the copy
                spool = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(file, spool)
                spool.seek(0)
                file = spool
            yield file
    except OSError as error:
        raise TargetError(f"{name} cannot be read: {error.strerror}.") from None


def import_file(server: Server, name: str, *, dry_run: bool, progress: Progress) -> tuple[Tally, str]:
    """Read one file in; what became of its records, and what the file's format counts: "line" or "record".

    Raises TargetError, FileError, LocalApiError; after the last, what was sent before stays.
    """
    with opened(name) as file:
        form, text = recognise(file)
        size = os.fstat(file.fileno()).st_size or 1
        server.wait_for("database", *([] if dry_run else ["model"]), waiting=waiting(progress))
        sending = Sending(server, dry_run=dry_run)
        try:
            sending.send(form.read(text), lambda done: progress.show(f"{done} memories, {min(100, 100 * file.tell() // size)} %…"))
        except LocalApiError as error:
            kept = " What was imported before stays; import the file again for the rest." if sending.tally.entries else ""
            raise LocalApiError(f"{error}{kept}") from None
        finally:
            progress.clear()
            text.detach()  # the file is closed by whoever opened it
        return sending.tally, form.unit


def describe(tally: Tally, *, dry_run: bool) -> str:
    """What an import did, in one sentence."""
    counts = tally.counts
    there = counts["present"] + counts["forgotten"]
    parts = [f"{counts['added']} {'would be added' if dry_run else 'added'}", f"{there} already there", f"{tally.skipped_count} skipped"]
    notes = []
    if counts["forgotten"]:
        notes.append(f"{counts['forgotten']} of those already there were forgotten since, and stay forgotten.")
    if tally.unknown_fields:
        notes.append(f"{tally.unknown_fields} fields that OwnSona does not know were left out.")
    if tally.lost_links and not dry_run:
        notes.append(f"{tally.lost_links} tombstones name a successor that the file does not hold.")
    if tally.entries:
        first, last = tally.entries[0], tally.entries[-1]
        notes.append(f"In the journal: entry {first}." if first == last else f"In the journal: entries {first} to {last}.")
    return " ".join([", ".join(parts) + ".", *notes])


def complaints(tally: Tally, unit: str) -> Iterator[str]:
    """A line for each reason why records were skipped, with their places."""
    for why, places in tally.skipped.items():
        yield f"{unit}{'s' if len(places) > 1 else ''} {ranges(places)}: {why}"


def ranges(places: Sequence[int]) -> str:
    """Rising numbers in few characters: "3, 7-9"."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
