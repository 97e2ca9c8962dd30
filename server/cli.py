"""The command `ownsona`. Exit codes: 0 done, 1 failed (for `status`: not running), 2 usage or environment.

Only the standard library is imported here; each command imports what it needs, so that the quick ones stay quick and
`serve` binds its socket before anything heavy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from server import __version__
from server.endpoints import DEFAULT_TOOLSET, PATHS
from server.oauth.builtin import ALL_SCOPES

if TYPE_CHECKING:
    from server.joining import Running
    from server.locks import FileLock
    from server.oauth.site import Site
    from server.parts import Parts
    from server.paths import Home
    from server.settings import Settings

DONE, FAILED, ENVIRONMENT = 0, 1, 2
TAKE_HOME = 20.0  # seconds to get the home, or an answer from the one who has it
STOP = 15.0  # seconds for a server to be gone after it was told to stop


class UsageError(Exception):
    """Something outside the program, or in its command line, is in the way; the message says what to do about it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    commands = {"serve": _serve, "status": _status, "stop": _stop, "token": _token, "doctor": _doctor, "mcp": _mcp}
    command = commands.get(options.command)
    try:
        if command is None:
            return _app(options)
        return command(options)
    except UsageError as error:
        complain(str(error))
        return ENVIRONMENT
    except KeyboardInterrupt:
        return FAILED


def say(line: str) -> None:
    """One line on stdout. Nobody listening is no fault."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Else the interpreter tries again at exit, and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(line: str) -> None:
    """One line on stderr."""
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--home", metavar="DIR", default=argparse.SUPPRESS, help="the folder for data, settings, state and logs")
    parser = argparse.ArgumentParser("ownsona", description="One memory for every AI assistant on this computer.", parents=[everywhere])
    parser.add_argument("--version", action="version", version=f"OwnSona Desktop {__version__}")
    parser.add_argument("--show", action="store_true", help="bring the window up, also of an app that runs already")
    parser.add_argument("--hidden", action="store_true", help="start the app in the tray alone, as at login")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, parents=[everywhere])

    serve = add("serve", "Run the server in the foreground.")
    serve.add_argument("--port", metavar="N", help="the port on 127.0.0.1 (default: OWNSONA_PORT, else 7662; 0: any free one)")
    serve.add_argument("--leased", action="store_true", help=argparse.SUPPRESS)  # end when nobody holds a lease; the bridge starts it so
    status = add("status", "Show whether the server runs. Exit code 1 when it does not.")
    status.add_argument("--json", action="store_true", help="as JSON")
    add("stop", "Stop the running server.")
    token = add("token", "Print an access token that is good for one hour.")
    token.add_argument("--toolset", choices=sorted(PATHS), default=DEFAULT_TOOLSET, help="the endpoint that it is for")
    token.add_argument("--scope", action="append", choices=ALL_SCOPES, help="what it allows; may be repeated (default: everything)")
    add("doctor", "Check what the server needs, and say what to do.")
    mcp = add("mcp", "Speak MCP on stdin and stdout; starts the server if none runs.")
    mcp.add_argument("--toolset", choices=sorted(PATHS), default=DEFAULT_TOOLSET, help="the endpoint to forward to")
    return parser


def _home(options: argparse.Namespace) -> Home:
    from server.paths import Home

    return Home.at(Path(options.home)) if "home" in options else Home.find()


def _port(text: str | None) -> int:
    """The port to listen on. Raises UsageError."""
    source, value = ("--port", text) if text is not None else ("OWNSONA_PORT", os.environ.get("OWNSONA_PORT") or "7662")
    if not (value.isascii() and value.isdecimal() and int(value) <= 65535):
        raise UsageError(f"{source}: give a port number from 0 to 65535.")
    return int(value)


def _site(port: int) -> Site:
    from server.oauth.site import PublicUrlError, Site

    try:
        return Site.at(port, os.environ.get("OWNSONA_PUBLIC_URL") or None)
    except PublicUrlError as error:
        raise UsageError(str(error)) from None


def _app(options: argparse.Namespace) -> int:
    from server import desktop

    if not desktop.installed():
        raise UsageError("The desktop app is not installed here. Start the server alone with `ownsona serve`.")
    if not desktop.has_screen(os.environ, sys.platform):
        raise UsageError("There is no screen here to show the desktop app on. Start the server alone with `ownsona serve`.")
    given = ["--home", options.home] if "home" in options else []
    given += [f"--{name}" for name in ("show", "hidden") if getattr(options, name)]
    try:
        return desktop.run(given)
    except OSError as error:
        raise UsageError(f"The desktop app cannot be started: {error.strerror or error}. Install OwnSona again.") from None


def _serve(options: argparse.Namespace) -> int:
    from server.joining import Running, announce, withdraw
    from server.listening import PortBusyError, listen
    from server.locks import FileLock

    home, port = _home(options), _port(options.port)
    try:
        home.create()
        lock = FileLock(home.lock_file)
        other = take_home(home, lock)
    except OSError as error:
        raise UsageError(f"The folder {error.filename or home.state} cannot be used: {error.strerror}.") from None
    if other is not None:
        say(f"OwnSona already runs at {other.url}")
        return DONE
    try:
        port, sockets = listen(port)
        site = _site(port)
        running = Running(port, os.getpid(), secrets.token_hex(32), time.time(), site.issuer)
        announce(home, running)
        try:
            return _run(home, site, sockets, running, permanent=not options.leased)
        finally:
            withdraw(home, running)
            for listening in sockets:
                listening.close()
    except PortBusyError as error:
        raise UsageError(str(error)) from None
    finally:
        lock.release()


def _run(home: Home, site: Site, sockets: list[socket.socket], running: Running, *, permanent: bool) -> int:
    """The heavy half of `serve`: connections that come in while this imports wait in the sockets' backlog."""
    from server.settings import Settings, SettingsError

    try:
        settings = Settings.read(port=running.port)
    except SettingsError as error:
        raise UsageError(str(error)) from None

    from server import logs
    from server.memory.ports import EmbeddingError
    from server.oauth.keys import KeyFileError
    from server.runtime import Place, Runtime

    try:
        logs.set_up(home, settings.log_level, sys.stderr)
        place = Place(home, site, sockets, running)
        runtime = Runtime(place, make_parts(home, settings), permanent=permanent, ready=lambda: say(f"OwnSona ready at {running.url}"))
    except (KeyFileError, EmbeddingError, OSError) as error:
        raise UsageError(str(error)) from None
    return DONE if runtime.run() else FAILED


def make_parts(home: Home, settings: Settings) -> Parts:
    """What the server is made of; imported late, for it is heavy."""
    from server.local_parts import LocalParts

    return LocalParts(home, settings)


def take_home(home: Home, lock: FileLock) -> Running | None:
    """Get the home's lock; or, where a server has it, that server. Raises UsageError, OSError.

    Neither at first is normal: the other one may still be starting, or be the reaper of a server that was killed.
    """
    from server.joining import find

    deadline = time.monotonic() + TAKE_HOME
    while not lock.acquire(0.1):
        if (other := find(home, timeout=5.0)) is not None:
            return other
        if time.monotonic() > deadline:
            raise UsageError(f"Another program holds {lock.path} and does not answer. End it, then try again.")
    return None


def _status(options: argparse.Namespace) -> int:
    from server.joining import LocalApiError, ask, find

    home = _home(options)
    running = find(home)
    if running is None:
        say('{"running": false}' if options.json else "OwnSona is not running. Start it with `ownsona serve`.")
        return FAILED
    try:
        state = ask(home, running, "GET", "/status")
    except LocalApiError as error:
        complain(str(error))
        return FAILED
    state.pop("ok", None)
    if options.json:
        say(json.dumps({"running": True, **state}))
        return DONE
    say(f"OwnSona {state['version']} runs at {state['url']} (process {state['pid']}): {state['status']}")
    for name, stage in state["stages"].items():
        say(f"  {name}: {stage['state']}" + (f". {stage['hint']}" if stage.get("hint") else ""))
    return DONE


def _stop(options: argparse.Namespace) -> int:
    from server.joining import LocalApiError, ask, find
    from server.locks import FileLock

    home = _home(options)
    running = find(home)
    if running is None:
        say("OwnSona is not running.")
        return DONE
    try:
        ask(home, running, "POST", "/stop")
    except LocalApiError as error:
        complain(str(error))
        return FAILED
    lock, deadline = FileLock(home.lock_file), time.monotonic() + STOP
    while lock.held_by_other():
        if time.monotonic() > deadline:
            complain(f"The server (process {running.pid}) was told to stop and is still there. Look into {home.logs / 'server.log'}.")
            return FAILED
        time.sleep(0.05)
    say("OwnSona has stopped.")
    return DONE


def _token(options: argparse.Namespace) -> int:
    from server.joining import announced
    from server.oauth.builtin import BUILTIN_GRANTS, CLI_CLIENT, OWNER_ID
    from server.oauth.keys import KeyFileError, SigningKey
    from server.oauth.tokens import TokenRequest, mint

    home = _home(options)
    running = announced(home)
    site = _site(running.port if running else _port(None))
    issuer = running.issuer if running else site.issuer
    try:
        key = SigningKey.of(home)
    except (KeyFileError, OSError) as error:
        raise UsageError(str(error)) from None
    audience, scopes = site.resource(PATHS[options.toolset]), options.scope or ALL_SCOPES
    say(mint(key, TokenRequest(issuer, audience, str(OWNER_ID), CLI_CLIENT, BUILTIN_GRANTS[CLI_CLIENT], scopes)))
    return DONE


def _doctor(options: argparse.Namespace) -> int:
    from server.doctor import examine

    findings = examine(_home(options), _port(None))
    for finding in findings:
        say(f"{'ok  ' if finding.good else 'BAD '} {finding.text}")
    return DONE if all(finding.good for finding in findings) else FAILED


def _mcp(options: argparse.Namespace) -> int:
    from server.bridge import SchemasError, run

    try:
        return run(_home(options), options.toolset)
    except SchemasError as error:
        raise UsageError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
