"""The search that a window shows: query, mode, order, and what was found. Asks again when somebody changes memories."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import Bridge
from app.client import ApiError, Event, Found, Mode, Order, Scope, Sort

TYPING_MS = 120  # rest after a keystroke
EVENTS_MS = 150  # events of one burst are answered by one refresh


class Search(QObject):
    """One search. `found` comes for every answer, also for one with the same ids."""

    changed = Signal()  # query, mode or order
    loading = Signal(bool)
    found = Signal(object)  # Found
    failed = Signal(object)  # ApiError

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.query = ""
        self.mode: Mode = "words"
        self.sort: Sort = "created"
        self.order: Order = "desc"
        self.last = Found()
        self._typing = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._typing.timeout.connect(self.refresh)
        self._burst = QTimer(self, interval=EVENTS_MS, singleShot=True)
        self._burst.timeout.connect(self.refresh)
        bridge.heard.connect(self._heard)
        bridge.missed.connect(self.refresh_soon)

    @property
    def everything(self) -> Scope:
        """All that the search means, now and when it is acted on."""
        return Scope(query=self.query, mode=self.mode)

    def type(self, query: str) -> None:
        """The person types; ask after a short rest."""
        if query != self.query:
            self.query = query
            self.changed.emit()
            self._typing.start()

    def ask(self, query: str | None = None, mode: Mode | None = None) -> None:
        """Ask at once."""
        self.query = self.query if query is None else query
        self.mode = mode or self.mode
        self.changed.emit()
        self.refresh()

    def arrange(self, sort: Sort, order: Order) -> None:
        """Show what was found in another order."""
        if (sort, order) != (self.sort, self.order):
            self.sort, self.order = sort, order
            self.changed.emit()
            self.refresh()

    def refresh_soon(self) -> None:
        """Ask again after a burst of changes."""
        self._burst.start()

    def refresh(self) -> None:
        """Ask again."""
        self._typing.stop()
        self._burst.stop()
        query, mode, sort, order = self.query, self.mode, self.sort, self.order
        self.loading.emit(True)
        self._bridge.call(self, lambda client: client.search(query, mode, sort, order), self._take, self._fail, slot="search")

    def _take(self, found: Found) -> None:
        self.last = found
        self.loading.emit(False)
        self.found.emit(found)

    def _fail(self, error: ApiError) -> None:
        self.loading.emit(False)
        self.failed.emit(error)

    def _heard(self, event: Event) -> None:
        if "memories" in event.kinds:
            self._burst.start()
