"""The postmaster as seen from outside: its pid file, its command line, its time to end. Standard library only, for the reaper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PureWindowsPath

SOCKET_PREFIX = "ownsona-pg-"

# A fast stop flushes 64 MB at most. An immediate one leaves that to the recovery of the next start: nothing acknowledged is lost.
FAST_SECONDS = 8.0
IMMEDIATE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class PostmasterFile:
    """What the file says. Missing or odd lines, as a crash leaves them, are None."""

    pid: int | None = None
    port: int | None = None
    socket_dir: Path | None = None
    status: str | None = None  # starting, stopping, ready, standby


def read_pid_file(data: Path) -> PostmasterFile:
    """Parse `postmaster.pid` of a cluster; everything is None when there is none."""
    try:
        lines = (data / "postmaster.pid").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return PostmasterFile()
    lines += [""] * (8 - len(lines))
    socket_dir = lines[4].strip()
    return PostmasterFile(_number(lines[0]), _number(lines[3]), Path(socket_dir) if socket_dir else None, lines[7].strip() or None)


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None


def is_postmaster(argv: Sequence[str], data: Path) -> bool:
    """Whether a command line is that of the postmaster of this cluster. Its children name neither `-D` nor the folder."""
    if len(argv) < 3 or PureWindowsPath(argv[0]).stem != "postgres":  # splits at / and \ alike
        return False
    return any(flag == "-D" and folder == str(data) for flag, folder in pairwise(argv))


def is_own_socket_dir(folder: Path) -> bool:
    """Whether a folder was made by us for the socket, so that it may be removed."""
    return folder.name.startswith(SOCKET_PREFIX)
