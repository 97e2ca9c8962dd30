"""How much room the memories have left."""

from __future__ import annotations

import shutil

from server.paths import Home
from server.postgres.privileges import data_folder

WARN_BYTES = 500_000_000


def free_bytes(home: Home) -> int:
    """Free bytes on the disk of the data folder, or of the one that it would be made in. Raises OSError."""
    folder = data_folder(home)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def disk_warning(home: Home) -> str | None:
    """A sentence when less than 500 MB are free, None otherwise. Raises OSError when the disk cannot be asked."""
    free = free_bytes(home)
    if free >= WARN_BYTES:
        return None
    return (
        f"Only {free // 1_000_000} MB are free on the disk that holds the memories. When it is full nothing can be saved any more: "
        "free some space."
    )
