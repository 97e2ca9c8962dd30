"""One app per home, with a wish passed on by the second."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from app.single_instance import LONGEST, SingleInstance, socket_name
from tests.programs import program

HOLDER = """
import os, signal, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.single_instance import SingleInstance
app = QCoreApplication([])
single = SingleInstance(Path(sys.argv[1]), sys.platform)
print(single.become_first(), flush=True)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
app.exec()
"""
SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.single_instance import SingleInstance
app = QCoreApplication([])
print(SingleInstance(Path(sys.argv[1]), sys.platform).pass_on("page:memories"), flush=True)
"""


def test_the_second_passes_its_wish_on(tmp_path: Path, qtbot: QtBot) -> None:
    """And learns that it was heard."""
    first = SingleInstance(tmp_path, sys.platform)
    assert first.become_first()
    assert not SingleInstance(tmp_path, sys.platform).become_first()
    with program("-P", "-c", SECOND, str(tmp_path)) as second:
        with qtbot.waitSignal(first.wished, timeout=20_000) as wished:
            pass
        assert wished.args == ["page:memories"]
        assert second.line() == b"True\n"
    first.release()
    third = SingleInstance(tmp_path, sys.platform)
    assert third.become_first()
    third.release()


def test_nobody_listens(tmp_path: Path) -> None:
    """It says so quickly."""
    assert not SingleInstance(tmp_path, sys.platform).pass_on("show")


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_a_killed_app_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    """Neither its lock nor its socket."""
    with program("-P", "-c", HOLDER, str(tmp_path)) as holder:
        assert holder.line() == b"True\n"
        assert not SingleInstance(tmp_path, sys.platform).become_first()
        os.kill(holder.process.pid, 9)
        holder.end()
    after = SingleInstance(tmp_path, sys.platform)
    assert after.become_first()
    assert Path(socket_name(tmp_path, sys.platform)).exists()
    after.release()


def test_nonsense_is_not_a_wish(tmp_path: Path, qtbot: QtBot) -> None:
    """Other versions and other programs are ignored."""
    first = SingleInstance(tmp_path, sys.platform)
    assert first.become_first()
    with qtbot.assertNotEmitted(first.wished, wait=200):
        for line in (b"nonsense\n", b'{"version": 2, "wish": "show"}\n', b'{"version": 1, "wish": 3}\n', b"[]\n"):
            socket = QLocalSocket()
            socket.connectToServer(socket_name(tmp_path, sys.platform))
            assert socket.waitForConnected(2000)
            socket.write(line)
            socket.waitForBytesWritten(2000)
            socket.disconnectFromServer()
    first.release()


def test_socket_names() -> None:
    """Short enough for every system, and another one for each home."""
    long = Path("/" + "x" * LONGEST)
    assert len(os.fsencode(socket_name(long, "linux"))) <= LONGEST
    assert socket_name(long, "linux") != socket_name(long / "y", "linux")
    assert socket_name(Path("/home/ada"), "darwin") == "/home/ada/app.sock"
    assert "/" not in socket_name(Path("C:/ada"), "win32")
