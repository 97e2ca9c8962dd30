"""What every page and dialog is given: the ways to the server, colours, undo, remembered choices, notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QSettings

from app.bridge import Bridge
from app.client import Home
from app.models.overview import Overview
from app.models.undo import UndoHistory
from app.theme import Theme
from app.watch import ServerWatch


class Notices(Protocol):
    """Where short messages go."""

    def __call__(self, text: str, *actions: tuple[str, Callable[[], object]], warning: bool = False) -> None: ...


def _nowhere(text: str, *actions: tuple[str, Callable[[], object]], warning: bool = False) -> None:
    del text, actions, warning


def _no_page(key: str) -> None:
    del key


@dataclass(slots=True)
class Context:
    """One application. The main window takes over `notify` and `open_page` when it is made."""

    home: Home
    bridge: Bridge
    watch: ServerWatch
    theme: Theme
    undo: UndoHistory
    overview: Overview
    settings: QSettings
    notify: Notices = _nowhere
    open_page: Callable[[str], object] = _no_page
    pages: frozenset[str] = frozenset()  # keys of the pages that there are
