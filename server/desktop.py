"""Starting the desktop app, in a process of its own: the server never imports it. Standard library only."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
WINDOWED = "ownsona-app"  # the frozen app's own executable, beside the one of the command line


def installed() -> bool:
    """Whether the app and its toolkit are there."""
    return bool(getattr(sys, "frozen", False)) or all(importlib.util.find_spec(name) for name in ("app", "PySide6"))


def has_screen(environ: Mapping[str, str], platform: str) -> bool:
    """Whether windows can be shown."""
    return platform in ("win32", "darwin") or any(environ.get(name) for name in SCREENS)


def command(platform: str, executable: str, *, frozen: bool) -> list[str]:
    """How this program starts the app."""
    if not frozen:
        return [executable, "-P", "-m", "app.main"]
    return [str(Path(executable).with_name(WINDOWED + (".exe" if platform == "win32" else "")))]


def run(arguments: Sequence[str]) -> int:
    """Become the app; on Windows, where no process can become another one, wait for it. Raises OSError."""
    line = [*command(sys.platform, sys.executable, frozen=bool(getattr(sys, "frozen", False))), *arguments]
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(line[0], line)  # noqa: S606 - no shell is wanted
    return subprocess.call(line)
