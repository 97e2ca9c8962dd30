"""A screen and a session bus of their own, where the machine has the programs for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.client import Home
from tests.desktop.bus import Desktop
from tests.programs import Program, environment, program


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a program on a virtual screen with a session bus."""
    missing = [name for name in ("Xvfb", "dbus-daemon") if shutil.which(name) is None]
    if sys.platform != "linux" or missing:
        pytest.skip(f"needs {', '.join(missing) or 'Linux'}")
    reader, writer = os.pipe()
    xvfb = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader, encoding="ascii") as numbers:
        display = numbers.readline().strip()
    folder = tmp_path_factory.mktemp("bus")
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", f"--address=unix:dir={folder}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert bus.stdout is not None
    address = bus.stdout.readline().strip()
    if not display or not address:
        pytest.skip("Xvfb or dbus-daemon did not start")
    yield environment(
        DISPLAY=f":{display}", DBUS_SESSION_BUS_ADDRESS=address, QT_QPA_PLATFORM="xcb", XDG_RUNTIME_DIR=str(folder), LANG="C.UTF-8"
    )
    for child in (bus, xvfb):
        child.terminate()
        child.wait()
    bus.stdout.close()


@pytest.fixture
def desktop(screen: dict[str, str]) -> Iterator[Desktop]:
    """A desktop with a tray."""
    desktop = Desktop(screen["DBUS_SESSION_BUS_ADDRESS"])
    yield desktop
    desktop.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The home of the app under test."""
    return Home.at(tmp_path)


@pytest.fixture
def app(desktop: Desktop, screen: dict[str, str], home: Home) -> Iterator[Program]:
    """The app with its tray icon, hidden as at login."""
    with program("-P", "-m", "app.main", "--home", str(home.state.parent), "--hidden", env=screen) as running:
        assert desktop.registered.wait(30), running.errors
        yield running
