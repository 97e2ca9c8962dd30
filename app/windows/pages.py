"""The pages of the main window: what a page is, and the list of them. A new page is one more line in `PAGES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.context import Context

FILE, EDIT, PAGE, VIEW = "file", "edit", "page", "view"  # the menus that a page may fill
Menus = Mapping[str, Sequence[QAction | None]]  # None: a line between


class Page(QWidget):
    """One page. It is made when it is first opened, and shown and hidden from then on."""

    status = Signal(str)  # for the window's status bar

    def menus(self) -> Menus:
        """What it puts into the window's menus."""
        return {}

    def entered(self) -> None:
        """It is shown now, or the person asked for it again."""

    def leave(self) -> None:
        """Save what is still open: the window is hidden, or the app ends."""


@dataclass(frozen=True, slots=True)
class PageSpec:
    """How a page is listed and made. `title` is a function because the language is chosen later."""

    key: str
    icon: str
    title: Callable[[], str]
    make: Callable[[Context], Page]


def _memories(context: Context) -> Page:
    from app.windows.memories.page import MemoriesPage

    return MemoriesPage(context)


PAGES: tuple[PageSpec, ...] = (PageSpec("memories", "library", lambda: QCoreApplication.translate("Pages", "Memories"), _memories),)
