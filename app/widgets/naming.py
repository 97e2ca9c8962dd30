"""Names for those who hear a window instead of seeing it."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Named = TypeVar("Named", bound=QWidget)


def named(widget: Named, name: str) -> Named:
    """The same widget with an accessible name; a placeholder or a picture is none."""
    widget.setAccessibleName(name)
    return widget
