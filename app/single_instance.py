"""One app per home: the first holds a lock and listens; a second one passes its wish on and leaves.

The lock comes first, for a socket alone is not enough: after a crash its file is in the way.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

VERSION = 1
LONGEST = 100  # bytes of a socket's path on every Unix
PATIENCE_MS = 2000
TOUCH_MS = 4 * 3600 * 1000  # cleaners of temporary folders take what was not used for some days
MAX_MESSAGE = 4096


def socket_name(state: Path, platform: str) -> str:
    """Where the app of a home listens: a pipe's name on Windows, else a path in its state folder, or a short one where that is too long."""
    digest = hashlib.sha256(str(state).encode()).hexdigest()[:16]
    if platform == "win32":
        return f"ownsona-app-{digest}"
    path = state / "app.sock"
    return str(path) if len(os.fsencode(path)) <= LONGEST else str(Path(tempfile.gettempdir()) / f"ownsona-{digest}.sock")


class SingleInstance(QObject):
    """`wished` carries what another start asked for: "show", or "page:NAME"."""

    wished = Signal(str)

    def __init__(self, state: Path, platform: str, parent: QObject | None = None) -> None:
        """`state` must exist."""
        super().__init__(parent)
        self._name = socket_name(state, platform)
        self._lock = QLockFile(str(state / "app.lock"))
        self._lock.setStaleLockTime(0)  # a crashed holder is found by its process id
        self._sockets: list[QLocalSocket] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)
        self._timer = QTimer(self, interval=TOUCH_MS)
        self._timer.timeout.connect(self._touch)

    def become_first(self) -> bool:
        """Whether we are the one app of this home. Then others' wishes arrive from now on."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        self._timer.start()
        return True

    def pass_on(self, wish: str) -> bool:
        """Tell the first app; False where it does not answer. Blocks up to four seconds."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(PATIENCE_MS):
            return False
        socket.write(json.dumps({"version": VERSION, "wish": wish}).encode() + b"\n")
        heard = socket.waitForReadyRead(PATIENCE_MS) and bytes(socket.readLine(MAX_MESSAGE).data()) == b"ok\n"
        socket.disconnectFromServer()
        return heard

    def release(self) -> None:
        """Let another app be the first."""
        self._timer.stop()
        self._server.close()
        self._lock.unlock()

    def _accept(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._sockets.append(socket)
            socket.readyRead.connect(self._read_all)
            socket.disconnected.connect(self._forget)
            self._read_all()

    def _forget(self) -> None:
        gone = [socket for socket in self._sockets if socket.state() is QLocalSocket.LocalSocketState.UnconnectedState]
        for socket in gone:
            self._sockets.remove(socket)
            socket.deleteLater()

    def _read_all(self) -> None:
        for socket in list(self._sockets):
            if socket.canReadLine():
                self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        line = bytes(socket.readLine(MAX_MESSAGE).data())
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("version") == VERSION and isinstance(message.get("wish"), str):
                socket.write(b"ok\n")
                socket.flush()
                self.wished.emit(message["wish"])

    def _touch(self) -> None:
        with contextlib.suppress(OSError):
            os.utime(self._name)
