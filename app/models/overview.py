"""The counts that tray, sidebar and status bar show: `/status` and `/sidebar`, asked again when something changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge import Bridge, Lane
from app.client import ApiError, Event, Sidebar, Status

BURST_MS = 400


class Overview(QObject):
    """`status` and `sidebar` are None until they came for the first time."""

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.status: Status | None = None
        self.sidebar: Sidebar | None = None
        self._burst = QTimer(self, interval=BURST_MS, singleShot=True)
        self._burst.timeout.connect(self.refresh)
        bridge.heard.connect(self._heard)
        bridge.missed.connect(self._burst.start)

    @property
    def tags(self) -> list[str]:
        """Known tags, the most used first."""
        return [count.name for count in self.sidebar.tags if count.name] if self.sidebar else []

    def refresh(self) -> None:
        """Ask again."""
        self._bridge.call(self, lambda client: client.status(), self._take_status, self._ignore, slot="status", lane=Lane.SIDE)
        self._bridge.call(self, lambda client: client.sidebar(), self._take_sidebar, self._ignore, slot="sidebar", lane=Lane.SIDE)

    def _take_status(self, status: Status) -> None:
        self.status = status
        self.changed.emit()

    def _take_sidebar(self, sidebar: Sidebar) -> None:
        self.sidebar = sidebar
        self.changed.emit()

    def _ignore(self, _error: ApiError) -> None:
        # Old counts stay; what is wrong with the server is said by those who watch it.
        return

    def _heard(self, _event: Event) -> None:
        if not self._burst.isActive():
            self._burst.start()
