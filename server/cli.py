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
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from server import __version__
from server.endpoints import DEFAULT_PORT, DEFAULT_TOOLSET, PATHS
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


class OutputError(Exception):
    """What was to be said could not be written, for another reason than that nobody reads it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _open_streams()
    parser = _parser()
    options = parser.parse_args(arguments)
    commands = {
        "serve": _serve,
        "status": _status,
        "stop": _stop,
        "token": _token,
        "export": _export,
        "import": _import,
        "backup": _backup,
        "restore": _restore,
        "doctor": _doctor,
        "mcp": _mcp,
        "login": _login,
        "secrets": _secrets,
    }
    command = commands.get(options.command)
    try:
        if command is None:
            return _app(options)
        return command(options)
    except UsageError as error:
        complain(str(error))
        return ENVIRONMENT
    except OutputError as error:
        complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        return FAILED


def _open_streams() -> None:
    """Give a program that was started without stdin, stdout or stderr empty ones.

    Without that, the next file or socket gets the number of the missing one, and all that is said goes into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def say(line: str) -> None:
    """One line on stdout. Nobody listening is no fault. Raises OutputError."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    except OSError as error:
        raise _output_error(error) from None


def _say_ready(running: Running) -> None:
    """A server serves on, whether or not this could be written."""
    with contextlib.suppress(OutputError):
        say(f"OwnSona ready at {running.url}")


def _output_error(error: OSError) -> OutputError:
    _silence()
    return OutputError(f"The output cannot be written: {error.strerror}.")


def _silence() -> None:
    """Nobody reads stdout any more; else the interpreter tries to write what is left at exit, and complains."""
    empty = os.open(os.devnull, os.O_WRONLY)
    os.dup2(empty, sys.stdout.fileno())
    os.close(empty)


def complain(line: str) -> None:
    """One line on stderr."""
    with contextlib.suppress(OSError):
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
    serve.add_argument("--port", metavar="N", help=f"the port on 127.0.0.1 (default: OWNSONA_PORT, else {DEFAULT_PORT}; 0: any free one)")
    serve.add_argument("--leased", action="store_true", help=argparse.SUPPRESS)  # end when nobody holds a lease; the bridge starts it so
    status = add("status", "Show whether the server runs. Exit code 1 when it does not.")
    status.add_argument("--json", action="store_true", help="as JSON")
    add("stop", "Stop the running server.")
    token = add("token", "Print an access token that is good for one hour.")
    _for_endpoint(token)
    actions = token.add_subparsers(dest="action", metavar="ACTION", title="static tokens, for programs without OAuth")
    create = actions.add_parser("create", help="make one and print it, once", parents=[everywhere])
    create.add_argument("name", metavar="NAME", help="what the list and the journal shall call it")
    _for_endpoint(create)
    actions.add_parser("list", help="show them, without the tokens themselves", parents=[everywhere])
    revoke = actions.add_parser("revoke", help="take one back", parents=[everywhere])
    revoke.add_argument("id", metavar="ID", help="as the list shows it")
    store = add("secrets", "Show or choose where the owner's token is kept: in a file that only you can read, or in the system's keychain.")
    store.add_argument("where", nargs="?", choices=("file", "keychain"), help="move it there")
    login = add("login", "Set user name and password of the consent page. Asks for the password twice.")
    login.add_argument("--username", default="owner", help="(default: owner)")
    export = add("export", "Write every memory to a file, forgotten ones too. Starts the server if none runs.")
    export.add_argument("file", metavar="FILE", help="a new file, or - for stdout")
    export.add_argument("--format", metavar="F", help="ownsona (default): JSON that `ownsona import` reads back")
    export.add_argument("--force", action="store_true", help="replace FILE if it is there already")
    imports = add("import", "Read memories in. What is there already is left as it is, so reading a file twice adds nothing.")
    imports.add_argument("file", metavar="FILE", nargs="+", help="an export, a JSON array of texts, or plain lines; - for stdin")
    imports.add_argument("--dry-run", action="store_true", help="only say what would be added")
    backup = add("backup", "Make a backup of everything, try it, and print where it is. The server must be running.")
    backup.add_argument("file", metavar="FILE", nargs="?", help="a new file (default: one in the folder of the home)")
    backup.add_argument("--encrypt", action="store_true", help="ask for a passphrase, or read it from stdin; keys are included then")
    restore = add("restore", "Replace all memories by those of a backup; what was there is kept as a backup. The server must be running.")
    restore.add_argument("file", metavar="FILE", help="the backup")
    restore.add_argument("--encrypted", action="store_true", help="ask for the passphrase, or read it from stdin")
    add("doctor", "Check what the server needs, and say what to do.")
    mcp = add("mcp", "Speak MCP on stdin and stdout; starts the server if none runs.")
    mcp.add_argument("--toolset", choices=sorted(PATHS), default=DEFAULT_TOOLSET, help="the endpoint to forward to")
    return parser


def _for_endpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--toolset", choices=sorted(PATHS), default=DEFAULT_TOOLSET, help="the endpoint that it is for")
    parser.add_argument("--scope", action="append", choices=ALL_SCOPES, help="what it allows; may be repeated (default: everything)")


def _home(options: argparse.Namespace) -> Home:
    """Raises UsageError."""
    from server.paths import Home

    try:
        home = Home.at(Path(options.home)) if "home" in options else Home.find()
        str(home.state).encode()
    except UnicodeEncodeError:  # Postgres could be started there, but not asked where it is
        raise UsageError(
            "The path of the home folder is not valid UTF-8. Rename that folder, or name another with --home or OWNSONA_HOME."
        ) from None
    except (OSError, RuntimeError) as error:  # no working folder any more, or an account without a home folder
        why = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
        raise UsageError(f"The home folder cannot be found: {why}. Give its whole path with --home or OWNSONA_HOME.") from None
    return home


def _port(text: str | None) -> int:
    """The port to listen on. Raises UsageError."""
    source, value = ("--port", text) if text is not None else ("OWNSONA_PORT", os.environ.get("OWNSONA_PORT") or str(DEFAULT_PORT))
    if not (value.isascii() and value.isdecimal() and int(value) <= 65535):
        raise UsageError(f"{source}: give a port number from 0 to 65535.")
    return int(value)


def _site(port: int, *, tls: bool) -> Site:
    from server.oauth.site import PublicUrlError, Site

    try:
        return Site.at(port, os.environ.get("OWNSONA_PUBLIC_URL") or None, tls=tls)
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
    from server.listening import PortBusyError, listen, raise_descriptor_limit
    from server.locks import FileLock

    home, port = _home(options), _port(options.port)
    try:
        home.create()
        lock = FileLock(home.lock_file)
        other = take_home(home, lock)
    except OSError as error:
        raise UsageError(home.unusable(error)) from None
    if other is not None:
        say(f"OwnSona already runs at {other.url}")
        return DONE
    try:
        raise_descriptor_limit()
        port, sockets = listen(port)
        given = os.environ.get("OWNSONA_TLS_CERT")
        certificate = str(Path(given).absolute()) if given else None
        site = _site(port, tls=certificate is not None)
        running = Running(port, os.getpid(), secrets.token_hex(32), time.time(), site.issuer, certificate)
        announce(home, running)
        try:
            return _run(home, site, sockets, running, permanent=not options.leased)
        finally:
            withdraw(home, running)
            for listening in sockets:
                listening.close()
    except PortBusyError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"The server cannot start: {error.strerror} ({error.filename or home.state}).") from None
    finally:
        lock.release()


def _run(home: Home, site: Site, sockets: list[socket.socket], running: Running, *, permanent: bool) -> int:
    """The heavy half of `serve`: connections that come in while this imports wait in the sockets' backlog."""
    # Before numpy is imported: its products are small here or come in small blocks, where a second thread mostly spins.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
        place = Place(home, site, sockets, running, _tls(settings))
        runtime = Runtime(place, make_parts(home, settings), permanent=permanent, ready=lambda: _say_ready(running))
    except (KeyFileError, EmbeddingError, OSError) as error:
        raise UsageError(str(error)) from None
    return DONE if runtime.run() else FAILED


def _tls(settings: Settings) -> tuple[str, str] | None:
    """Certificate and key, after a look whether they fit. Raises UsageError."""
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except (OSError, ValueError):
        raise UsageError("OWNSONA_TLS_CERT, OWNSONA_TLS_KEY: give a certificate and its unencrypted key, both as PEM files.") from None
    return settings.tls_cert, settings.tls_key


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
    say(f"OwnSona {state['version']} runs at {state['address']} (process {state['pid']}): {state['status']}")
    for stage in state["stages"]:
        say(f"  {stage['name']}: {stage['state']}" + (f". {stage['advice']}" if stage.get("advice") else ""))
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


def _secrets(options: argparse.Namespace) -> int:
    from server import secrets_store

    home = _home(options)
    try:
        place = secrets_store.move(home, options.where) if options.where else secrets_store.chosen(home)
    except secrets_store.SecretsError as error:
        complain(str(error))
        return FAILED
    where = f"the file {home.state / 'owner-token'}" if place == secrets_store.FILE else f"the keychain ({place})"
    say(f"The owner's token is kept in {where}.")
    return DONE


def _login(options: argparse.Namespace) -> int:
    from server import cli_access

    return _told(lambda: [cli_access.set_login(_home(options), options.username)])


def _told(work: Callable[[], Iterable[str]]) -> int:
    """Say what the running server has done, or why it has not."""
    from server.joining import LocalApiError

    try:
        for line in work():
            say(line)
    except LocalApiError as error:
        complain(str(error))
        return FAILED
    return DONE


def _token(options: argparse.Namespace) -> int:
    from server import cli_access

    home = _home(options)
    actions: dict[str | None, Callable[[], Iterable[str]]] = {
        "create": lambda: [cli_access.create_token(home, options.name, PATHS[options.toolset], options.scope)],
        "list": lambda: cli_access.list_tokens(home),
        "revoke": lambda: [cli_access.revoke_token(home, options.id)],
    }
    return _told(actions[options.action]) if options.action else _access_token(options)


def _access_token(options: argparse.Namespace) -> int:
    from server.joining import announced
    from server.oauth.builtin import BUILTIN_GRANTS, CLI_CLIENT, OWNER_ID
    from server.oauth.keys import KeyFileError, SigningKey
    from server.oauth.tokens import TokenRequest, mint

    home = _home(options)
    running = announced(home)
    tls = bool(running.certificate if running else os.environ.get("OWNSONA_TLS_CERT"))
    site = _site(running.port if running else _port(None), tls=tls)
    issuer = running.issuer if running else site.issuer
    try:
        key = SigningKey.of(home)
    except KeyFileError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(home.unusable(error)) from None
    audience, scopes = site.resource(PATHS[options.toolset]), options.scope or ALL_SCOPES
    say(mint(key, TokenRequest(issuer, audience, str(OWNER_ID), CLI_CLIENT, BUILTIN_GRANTS[CLI_CLIENT], scopes)))
    return DONE


def _export(options: argparse.Namespace) -> int:
    from server.joining import LocalApiError
    from server.transfer import command
    from server.transfer.client import Server
    from server.transfer.formats.registry import DEFAULT, WRITERS

    form = options.format or DEFAULT
    if form not in WRITERS:
        raise UsageError(f"--format: there is no format {form!r}; there is {', '.join(sorted(WRITERS))}.")
    try:
        server = Server(_home(options))
        command.export_file(server, options.file, form, force=options.force, progress=command.Progress(sys.stderr))
    except command.TargetError as error:
        raise UsageError(str(error)) from None
    except LocalApiError as error:
        complain(str(error))
        return FAILED
    except BrokenPipeError:
        _silence()
        return FAILED
    except OSError as error:  # a file's own faults are TargetError
        raise _output_error(error) from None
    return DONE


def _import(options: argparse.Namespace) -> int:
    from server.joining import LocalApiError
    from server.transfer import command
    from server.transfer.client import Server
    from server.transfer.formats.base import FileError

    missing = [name for name in options.file if name != command.STANDARD and not Path(name).exists()]
    if missing:
        raise UsageError(f"There is no file {missing[0]}. Nothing was imported.")
    server, code = Server(_home(options)), DONE
    for name in options.file:
        try:
            tally, unit = command.import_file(server, name, dry_run=options.dry_run, progress=command.Progress(sys.stderr))
        except command.TargetError as error:
            raise UsageError(str(error)) from None
        except FileError as error:
            complain(f"{name} was not imported: {error}.")
            code = FAILED
            continue
        except LocalApiError as error:
            complain(f"{name}: {error}")
            return FAILED
        for line in command.complaints(tally, unit):
            complain(f"{name}: {line}")
        if tally.broken:
            complain(f"{name}: {tally.broken}.")
            code = FAILED
        say(f"{name}: {command.describe(tally, dry_run=options.dry_run)}")
    return code


def _backup(options: argparse.Namespace) -> int:
    from server.backing_up import passphrase, run_job

    body = {"path": str(Path(options.file).absolute())} if options.file else {}
    if options.encrypt:
        body["passphrase"] = passphrase(twice=True)
    return run_job(_home(options), "/backups", body, say, complain)


def _restore(options: argparse.Namespace) -> int:
    from server.backing_up import passphrase, run_job

    body = {"path": str(Path(options.file).absolute())}
    if options.encrypted:
        body["passphrase"] = passphrase(twice=False)
    return run_job(_home(options), "/backups/restore", body, say, complain)


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
