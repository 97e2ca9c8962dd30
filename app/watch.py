"""The supervisor's states on the GUI's thread."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.client import Home
from app.supervisor import Phase, ServerState, Supervisor, Trouble

SERVING = (Phase.READY, Phase.DEGRADED)


class ServerWatch(QObject):
    """`changed` comes with each new state; `refilled` when a server is there to be asked again."""

    changed = Signal(object)
    served = Signal()
    _came = Signal(object)

    def __init__(self, home: Home, command: list[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ServerState(Phase.STOPPED)
        self._database = False
        self._came.connect(self._take)
        self._supervisor = Supervisor(home, self._came.emit, command)

    def start(self) -> None:
        """Begin to watch, and start a server if none runs."""
        self._supervisor.start()

    def retry(self) -> None:
        """Start the server after it was stopped or has failed."""
        self._supervisor.retry()

    def stop(self) -> None:
        """Give up the server; it ends by itself if nobody else needs it."""
        self._supervisor.stop()

    @property
    def database_ready(self) -> bool:
        """Whether memories can be read now."""
        return self._database

    @Slot(object)
    def _take(self, state: ServerState) -> None:
        before, self.state = self._database, state
        self._database = any(stage.name == "database" and stage.state == "ready" for stage in state.stages)
        self.changed.emit(state)
        if self._database and not before:
            self.served.emit()


def phase_text(phase: Phase) -> str:
    """One word for a phase."""
    return {
        Phase.STOPPED: QCoreApplication.translate("Server", "Stopped"),
        Phase.STARTING: QCoreApplication.translate("Server", "Starting"),
        Phase.READY: QCoreApplication.translate("Server", "Running"),
        Phase.DEGRADED: QCoreApplication.translate("Server", "Needs attention"),
        Phase.FAILED: QCoreApplication.translate("Server", "Not running"),
    }[phase]


def stage_text(name: str) -> str:
    """What a stage is called."""
    return {
        "server": QCoreApplication.translate("Server", "Server"),
        "database": QCoreApplication.translate("Server", "Database"),
        "model": QCoreApplication.translate("Server", "Language model"),
    }.get(name, name)


def trouble_text(state: ServerState) -> str:
    """What is wrong, why, and what to do; empty where nothing is."""
    return {
        Trouble.NONE: "",
        Trouble.CANNOT_START: QCoreApplication.translate("Server", "OwnSona’s server cannot start here.") + f" {state.detail}",
        Trouble.NO_ANSWER: QCoreApplication.translate(
            "Server", "OwnSona’s server does not answer. The computer may be very busy, or the server hangs: restart OwnSona if this stays."
        ),
        Trouble.KEEPS_STOPPING: QCoreApplication.translate(
            "Server", "OwnSona’s server keeps stopping soon after its start. Its log says why; then try again."
        ),
        Trouble.STAGE: state.detail or QCoreApplication.translate("Server", "A part of OwnSona does not work. Its log says why."),
    }[state.trouble].strip()
