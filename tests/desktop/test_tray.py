"""The whole app as a program: tray, server, and what is left when either is killed."""

from __future__ import annotations

import os
import signal
import time

import psutil

from app.client import Client, Home, NewMemory
from server.joining import find
from tests.desktop.bus import Desktop
from tests.programs import Program, eventually, program

START = 90.0
GONE = 10.0  # seconds after the tray was killed


def running(desktop: Desktop) -> bool:
    """Whether the tray says that all is well."""
    return desktop.tool_tip().startswith("OwnSona: Running")


def processes_of(home: Home) -> list[psutil.Process]:
    """Every process that names the home on its command line, this one left out."""
    folder, found = str(home.state.parent), []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(folder in part for part in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_the_tray_says_how_the_server_is_and_leads_to_it(app: Program, desktop: Desktop, home: Home, screen: dict[str, str]) -> None:
    """State line, menu, pause, a second start, a killed server, and quitting."""
    first = desktop.menu()
    assert next(iter(first)) in ("Starting", "Stopped")
    assert first[next(iter(first))][1] is False
    starting = desktop.picture()
    eventually(lambda: running(desktop), START)
    assert desktop.picture() != starting
    assert {"Open OwnSona", "Search…", "Add memory…", "Pause for assistants", "Copy the server’s address", "Quit OwnSona"} <= set(
        desktop.menu()
    )
    client = Client(home)
    client.add(NewMemory(text="Ada drinks coffee."))
    eventually(lambda: "1 memory" in next(iter(desktop.menu())))

    desktop.choose("Pause for assistants")
    eventually(lambda: client.status().paused)
    eventually(lambda: "Let assistants in again" in desktop.menu())
    assert next(iter(desktop.menu())).startswith("Paused")
    desktop.choose("Let assistants in again")
    eventually(lambda: not client.status().paused)

    began = time.monotonic()
    with program("-P", "-m", "app.main", "--home", str(home.state.parent), "--show", env=screen) as second:
        assert second.end() == 0
    assert time.monotonic() - began < 10

    server = find(home)
    assert server is not None
    os.kill(server.pid, signal.SIGKILL)
    eventually(lambda: not running(desktop))
    eventually(lambda: running(desktop), START)
    eventually(lambda: (again := find(home)) is not None and again.pid != server.pid)
    eventually(lambda: "1 memory" in next(iter(desktop.menu())))
    client.close()

    desktop.choose("Quit OwnSona")
    assert app.end() == 0
    eventually(lambda: processes_of(home) == [], GONE + 5)


def test_a_killed_tray_leaves_nothing_behind(app: Program, desktop: Desktop, home: Home) -> None:
    """Neither the server nor its database nor its model, within ten seconds."""
    eventually(lambda: running(desktop), START)
    server = find(home)
    assert server is not None
    children = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
    assert len(children) > 3
    app.process.kill()
    app.end()
    began = time.monotonic()
    eventually(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children), GONE + 20)
    assert time.monotonic() - began < GONE + 5
    assert processes_of(home) == []
