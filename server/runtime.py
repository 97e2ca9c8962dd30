"""The server of a home: order of start and stop, and what it does while it runs.

Start: log, web side (answers from then on), database and model side by side. Stop, in this order and within ten seconds:
no new requests, leases end, requests under way finish, model, database. The main thread waits for events; all else runs in
threads, and the web side in an event loop of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import FrameType

import uvicorn

from server import __version__, api, secrets_store
from server.joining import Running
from server.leases import Leases
from server.listening import BACKLOG
from server.memory.ports import StoreError
from server.oauth.authority import Authority
from server.oauth.keys import PublicKeys, SigningKey
from server.oauth.login import Login
from server.oauth.resources import Resources
from server.oauth.site import Site
from server.oauth.tokens import TokenVerifier, mint
from server.parts import Parts, StartError
from server.paths import Home
from server.stages import DATABASE, MODEL, Stages, State
from server.supervision import Stage, Supervisor
from server.web.api.control import LocalApi
from server.web.api.events import Events
from server.web.app import WebParts, build_app
from server.web.connections import Connection
from server.web.endpoint import Access
from server.web.oauth_api import OAuthApi
from server.web.oauth_endpoints import OAuthEndpoints
from server.web.transfer_api import TransferApi

log = logging.getLogger(__name__)

DRAIN = 3.0  # seconds that requests under way get when the server stops
JOIN = 4.0  # seconds for each thread to end
TICK = 0.5  # Windows delivers signals only between waits


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server runs: its home, its addresses, its listening sockets, and what it has announced."""

    home: Home
    site: Site
    sockets: list[socket.socket]
    running: Running
    tls: tuple[str, str] | None = None  # PEM files of certificate and key


class Runtime:
    """One server. `run` serves until it is told to stop; the caller holds the home's lock and cleans up after it."""

    def __init__(self, place: Place, parts: Parts, *, permanent: bool, ready: Callable[[], None] = lambda: None) -> None:
        self._place = place
        self._parts = parts
        self._ready = ready  # called once, in the main thread
        self._events: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._stop_wanted = False
        self._stopping = threading.Event()
        self._web_loop: asyncio.AbstractEventLoop | None = None
        self._web_stopping: asyncio.Event | None = None
        self._stages = Stages()
        self._leases = Leases(permanent=permanent, changed=self._wake)
        self._signing_key = SigningKey.of(place.home, rotate=True)
        self._keys = PublicKeys(place.home, self._signing_key)
        self._supervisors = [
            Supervisor(Stage(DATABASE, self._start_database, parts.database_alive), self._stages, self._stopping),
            Supervisor(Stage(MODEL, parts.start_model, parts.model_alive), self._stages, self._stopping),
        ]
        self._web = uvicorn.Server(self._web_config())
        self._web_thread = threading.Thread(target=self._serve_web, name="web", daemon=True)

    def run(self) -> bool:
        """Serve until a signal, the API or the end of the last lease says stop. True after an orderly end."""
        if threading.current_thread() is threading.main_thread():
            for number in stop_signals():
                signal.signal(number, self._on_signal)
        with self._stages.listener(self._wake), self._stages.listener(lambda: self._parts.signals.tell("status")):
            self._web_thread.start()
            for supervisor in self._supervisors:
                supervisor.start()
            told = False
            while not self._ended():
                if not told and self._stages.status() == "ready":
                    told = True
                    self._ready()
                with contextlib.suppress(queue.Empty):
                    self._events.get(timeout=TICK)
        orderly = self._web_thread.is_alive()
        self._stop()
        return orderly

    # What the local API asks for (server.web.api.control.Control).

    def describe(self) -> api.Status:
        """State for the owner's programs."""
        stages = self._stages.describe(hints=True)
        running = self._place.running
        return api.Status(
            version=__version__,
            status=self._stages.status(),
            address=running.url,
            pid=running.pid,
            started=running.started,
            leases=self._leases.count,
            stages=tuple(
                api.Stage(name=name, state=str(stage["state"]), seconds=float(stage["seconds"]), advice=_advice(stage))
                for name, stage in stages.items()
            ),
            **(self._parts.glance() if self._stages.get(DATABASE).state is State.READY else {}),
        )

    def request_stop(self) -> None:
        """Begin an orderly stop; returns at once. Safe in a signal handler, as SimpleQueue is."""
        self._stop_wanted = True
        self._wake()

    def lease_taken(self) -> None:
        """Somebody needs the server."""
        self._leases.take()

    def lease_released(self) -> None:
        """One of them is gone."""
        self._leases.release()

    async def stopping(self) -> None:
        """Returns when the stop begins."""
        if self._web_stopping is not None:
            await self._web_stopping.wait()

    def _wake(self) -> None:
        self._events.put(None)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.request_stop()

    def _ended(self) -> bool:
        left = self._leases.left()
        return self._stop_wanted or not self._web_thread.is_alive() or (left is not None and left <= 0)

    def _start_database(self) -> None:
        """The database and, with it, the keys of all homes that share it."""
        self._parts.start_database()
        try:
            self._parts.register_key(self._signing_key.public(), self._signing_key.replaces)
            self._keys.fetch_with(self._parts.public_keys)
        except StoreError as error:
            raise StartError(str(error), retry=True) from None

    def _web_config(self) -> uvicorn.Config:
        parts, site, oauth = self._parts, self._place.site, self._parts.oauth
        verifier = TokenVerifier(self._keys, site.issuer)
        scopes = {path: frozenset().union(*(tool.scopes for tool in one.tools)) for path, one in parts.toolsets.items()}
        resources = Resources(site, scopes)
        authority = Authority(oauth.store, resources, partial(mint, self._signing_key), verifier)
        told = partial(parts.signals.tell, "clients")
        endpoints = OAuthEndpoints(authority, Login(oauth.store, oauth.fixed_login), site, self._stages, told)
        more = [*OAuthApi(oauth, resources, self._stages, told).routes(), *TransferApi(parts.transfer).routes(), *parts.owner_routes]
        local = LocalApi(self, Events(parts.events, parts.signals, self.stopping), more, self._place.running)
        access = Access(site, verifier, parts.grants, self._stages)
        app = build_app(WebParts(access, self._keys, parts.toolsets, endpoints, local, self._owner_token()))
        logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)  # addresses of /oauth hold what nobody else may know
        return uvicorn.Config(
            app,
            loop="asyncio",
            http=Connection,
            backlog=BACKLOG,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=int(DRAIN),
            timeout_keep_alive=75,
            ssl_certfile=self._place.tls and self._place.tls[0],
            ssl_keyfile=self._place.tls and self._place.tls[1],
        )

    def _owner_token(self) -> str:
        """Never held up by a keychain: a start without a screen has nobody to unlock it."""
        home = self._place.home
        try:
            return secrets_store.owner_token(home)
        except secrets_store.SecretsError as error:
            log.warning("%s For now, a new one is kept in the file %s.", error, home.state / "owner-token")
            secrets_store.move(home, secrets_store.FILE)
            return secrets_store.owner_token(home)

    def _serve_web(self) -> None:
        async def serve() -> None:
            self._web_loop = asyncio.get_running_loop()
            self._web_stopping = asyncio.Event()
            await self._web.serve(self._place.sockets)

        try:
            asyncio.run(serve())
        except Exception:  # the boundary of a thread
            log.exception("The web side ended unexpectedly.")
        finally:
            self._wake()

    def _stop(self) -> None:
        log.info("Stopping.")
        began = time.monotonic()
        self._stopping.set()
        self._web.should_exit = True
        if self._web_loop is not None and self._web_stopping is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                self._web_loop.call_soon_threadsafe(self._web_stopping.set)
        self._web_thread.join(DRAIN + JOIN)
        model = threading.Thread(target=self._parts.stop_model, name="stop model", daemon=True)
        model.start()
        self._parts.stop_database()
        model.join(JOIN)
        for supervisor in self._supervisors:
            supervisor.join(JOIN)
        log.info("Stopped after %.1f s.", time.monotonic() - began)


def _advice(stage: Mapping[str, str | float]) -> str | None:
    hint = stage.get("hint")
    return None if hint is None else str(hint)


def stop_signals() -> list[signal.Signals]:
    """Signals that mean: stop in good order. A closed terminal says HUP, Windows says BREAK."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]
