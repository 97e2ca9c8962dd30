"""The tray icon: its picture and first line say how the server is; the menu leads everywhere."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject, QTimer, Signal
from PySide6.QtGui import QAction, QBrush, QGuiApplication, QIcon, QPainter, QPen
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.context import Context
from app.supervisor import Phase
from app.theme import picture
from app.watch import phase_text, trouble_text

LOOK_MS = 1000  # between looks for a tray that comes up later than we do, as at login
SIZES = (16, 22, 24, 32, 48)


class Tray(QObject):
    """`open_wanted` carries a page's key, with "search" and "add" for those commands of the memories page."""

    open_wanted = Signal(str)
    toggle_wanted = Signal()
    quit_wanted = Signal()
    appeared = Signal()

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.icon = QSystemTrayIcon(self)
        self.menu = QMenu()
        self.icon.setContextMenu(self.menu)
        self.menu.aboutToShow.connect(self.rebuild)
        self.icon.activated.connect(self._activated)
        context.watch.changed.connect(self.refresh)
        context.overview.changed.connect(self.refresh)
        context.theme.changed.connect(self.refresh)
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._try)
        self.rebuild()
        self.refresh()

    def start(self) -> bool:
        """Show the icon, now or once there is a tray. Whether there is one now."""
        self._try()
        if not self.icon.isVisible():
            self._look.start()
        return self.icon.isVisible()

    def stop(self) -> None:
        """Take the icon away."""
        self._look.stop()
        self.icon.hide()
        self.menu.deleteLater()

    def state_line(self) -> str:
        """How the server is, in one line."""
        state, status = self._context.watch.state, self._context.overview.status
        paused = state.phase is Phase.READY and status is not None and status.paused
        parts = [self.tr("Paused") if paused else phase_text(state.phase)]
        if state.phase is Phase.READY and status is not None:
            if status.active is not None:
                parts.append(self.tr("%Ln memories", "", status.active))
            if status.clients:
                parts.append(self.tr("%Ln clients", "", status.clients))
        return " · ".join(parts)

    def refresh(self) -> None:
        """Icon, tool tip and first line."""
        self.icon.setIcon(self._picture())
        trouble = trouble_text(self._context.watch.state)
        self.icon.setToolTip("OwnSona: " + self.state_line() + (f"\n{trouble}" if trouble else ""))
        # Where the desktop shows the menu itself, it learns of new words only when they change.
        if not self.menu.isVisible():
            self.rebuild()

    def rebuild(self) -> None:
        """The menu as it must be now."""
        context, menu = self._context, self.menu
        status = context.overview.status
        menu.clear()
        menu.addAction(self.state_line()).setEnabled(False)
        menu.addSeparator()
        self._entry(self.tr("Open OwnSona"), "memories")
        self._entry(self.tr("Search…"), "search")
        self._entry(self.tr("Add memory…"), "add")
        if status is not None and status.duplicates:
            self._page(self.tr("Review duplicates (%1)").replace("%1", QLocale().toString(status.duplicates)), "duplicates")
        if status is not None and status.approvals:
            self._page(self.tr("Pending approvals (%1)").replace("%1", QLocale().toString(status.approvals)), "clients")
        menu.addSeparator()
        self._server_entries()
        self._page(self.tr("Connect a client…"), "clients")
        self._page(self.tr("Export or back up…"), "transfer")
        self._page(self.tr("Settings"), "settings")
        menu.addSeparator()
        menu.addAction(self.tr("Quit OwnSona")).triggered.connect(self.quit_wanted)

    def _server_entries(self) -> None:
        state, status, menu = self._context.watch.state, self._context.overview.status, self.menu
        if state.phase in (Phase.FAILED, Phase.STOPPED):
            menu.addAction(self.tr("Start the server")).triggered.connect(self._context.watch.retry)
            return
        paused = status is not None and status.paused
        pause = menu.addAction(self.tr("Let assistants in again") if paused else self.tr("Pause for assistants"))
        pause.setEnabled(status is not None)
        pause.triggered.connect(lambda: self._pause(not paused))
        copy = menu.addAction(self.tr("Copy the server’s address"))
        copy.setEnabled(bool(state.address))
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(state.address))

    def _entry(self, words: str, key: str) -> QAction:
        action = self.menu.addAction(words)
        action.triggered.connect(lambda: self.open_wanted.emit(key))
        return action

    def _page(self, words: str, key: str) -> None:
        if key in self._context.pages:
            self._entry(words, key)

    def _pause(self, paused: bool) -> None:
        context = self._context
        context.bridge.call(self, lambda client: client.pause(paused), lambda _none: context.overview.refresh())

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.toggle_wanted.emit()

    def _try(self) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._look.stop()
            if not self.icon.isVisible():
                self.icon.show()
                self.appeared.emit()

    def _picture(self) -> QIcon:
        """The sign of the product with a dot that says how the server is; filled, hollow or a bar, so that colour is not all."""
        theme, state, status = self._context.theme, self._context.watch.state, self._context.overview.status
        paused = status is not None and status.paused
        colour = {
            Phase.READY: "attention" if paused else "good",
            Phase.STARTING: "accent",
            Phase.DEGRADED: "attention",
            Phase.FAILED: "bad",
            Phase.STOPPED: "faint",
        }[state.phase]
        icon = QIcon()
        for size in SIZES:
            pixmap = picture("brain", theme.colours["text"], size)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            dot = max(size * 3 // 8, 6)
            painter.setPen(QPen(theme.colour("window"), max(size / 16, 1)))
            hollow = state.phase in (Phase.STARTING, Phase.STOPPED)
            painter.setBrush(QBrush(theme.colour("window" if hollow else colour)))
            if hollow:
                painter.setPen(QPen(theme.colour(colour), max(size / 12, 1.5)))
            box = (size - dot - 1, size - dot - 1, dot, dot)
            painter.drawRect(*box) if state.phase is Phase.FAILED else painter.drawEllipse(*box)
            painter.end()
            icon.addPixmap(pixmap)
        return icon
