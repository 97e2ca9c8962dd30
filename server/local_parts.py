"""The parts of a server on this computer: the embedded Postgres (or one of the person's own), the model, the toolsets."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from server.embedding.service import open_embedder
from server.endpoints import PATHS
from server.jobs.backups import Backups, Source
from server.jobs.derived import DerivedJobs
from server.memory.memories import Memories
from server.memory.model import Limits
from server.memory.ports import StoreError
from server.oauth.builtin import OWNER_ID
from server.oauth.keys import PublicJwk
from server.oauth.owner import OAuthParts
from server.owner_side import OwnerSide
from server.parts import StartError
from server.paths import Home
from server.postgres.binaries import Programs, find_bin_dir
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from server.postgres.external import check_external
from server.postgres.reaping import dismiss, start_reaper
from server.settings import Settings
from server.signals import JOURNAL, Signals
from server.store.database import Database
from server.store.events import JournalEvents
from server.store.oauth import OAuthTables
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from server.store.operation import MemoryOperation
from server.store.owner import PostgresOwnerStore
from server.store.schema import migrate
from server.toolsets.base import Toolset
from server.toolsets.memories.toolset import PROFILES, MemoriesToolset
from server.toolsets.pausing import Pausable
from server.transfer.service import OwnerTransfer

log = logging.getLogger(__name__)

ENTER_SECONDS = 60.0  # for the stage to start again; what goes wrong is told there
MODEL_LOOK = 0.1  # seconds between looks while the model loads


class LocalParts:
    """Implements server.parts.Parts. Making it starts nothing; it raises EmbeddingError for a model that does not exist."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self._home = home
        self._external = settings.database_url
        self._cluster = Cluster(home, log.info)
        self._reaper: subprocess.Popen[bytes] | None = None
        self._database = Database()
        self._embedder = open_embedder(settings)
        self._store = PostgresOwnerStore(self._database, self._changed)
        self._jobs: DerivedJobs | None = None
        self._binding = threading.Lock()
        self._database_up = self._model_up = False
        self._conninfo = ""  # of the live database, once it is up
        self._exchanged = False
        self._entered = threading.Event()  # the database can be used
        self._stopping = threading.Event()
        limits = Limits(**{field.name: getattr(settings, field.name) for field in fields(Limits)})
        memories = Memories(self._store, self._embedder, limits)
        self.signals = Signals()
        connect = self._database.transaction
        access = OAuthOwner(connect, OWNER_ID)
        backups = Backups(home, self._backup_source, self._leave_database, self._enter_database)
        self._owner = OwnerSide(backups, home, self._store, self._embedder, limits, access, OWNER_ID, self.signals)
        self.owner_routes = self._owner.routes
        self.glance = self._owner.glance
        served: dict[str, Toolset] = {name: Pausable(MemoriesToolset(memories, name), self._owner.paused) for name in PROFILES}
        self.toolsets: Mapping[str, Toolset] = {path: served[name] for name, path in PATHS.items()}
        self.events = JournalEvents(connect, OWNER_ID)
        self.transfer = OwnerTransfer(memories, OWNER_ID)
        self._tables = self.grants = OAuthTables(self._database.statements, OWNER_ID)
        self.oauth = OAuthParts(OAuthFlow(connect, OWNER_ID), access, settings.fixed_login())

    def start_database(self) -> None:
        """The cluster or the person's own server, the schema, the pool. Raises StartError."""
        try:
            conninfo = self._external_conninfo() if self._external else self._embedded_conninfo()
            migrate(conninfo)
            self._database.move(conninfo)
            self._conninfo = conninfo
            self._bind(database=True)
            self._owner.start()
            self._entered.set()
        except (PostgresError, StoreError) as error:
            raise StartError(str(error), retry=bool(self._external)) from None

    def start_model(self) -> None:
        """Returns when the model can embed. Raises StartError."""
        self._embedder.start()
        while not self._embedder.ready.wait(MODEL_LOOK):
            if self._embedder.state == "failed" or self._stopping.is_set():
                raise StartError(self._embedder.advice or "The embedding model does not run.", retry=True)
        try:
            self._bind(model=True)
        except StoreError as error:
            raise StartError(str(error), retry=True) from None

    def database_alive(self) -> bool:
        """Whether the embedded cluster still runs; a server elsewhere is looked after by the pool."""
        if self._exchanged:
            self._exchanged = False
            return False
        return bool(self._external) or self._cluster.poll()

    def model_alive(self) -> bool:
        """Whether the embedder has not given up; it restarts its worker by itself."""
        return self._embedder.state != "failed"

    def stop_database(self) -> None:
        """Background work, pool, cluster, and then the one who would clean up after a crash."""
        self._stopping.set()
        if self._jobs is not None:
            self._jobs.stop()
        self._owner.stop()
        self._database.close()
        if self._external:
            return
        try:
            self._cluster.stop()
        except PostgresError as error:
            log.error("The database did not stop in good order. %s", error)  # the reaper tries once more
            return
        if self._reaper is not None:
            dismiss(self._reaper)

    def stop_model(self) -> None:
        """End the worker."""
        self._stopping.set()
        self._embedder.stop()

    def register_key(self, jwk: PublicJwk, replaces: str | None) -> None:
        """Make this home's public key known in the database, in the place of an older one. Raises StoreError."""
        self._tables.register_key(jwk, replaces)

    def public_keys(self) -> Iterable[Mapping[str, Any]]:
        """The public keys of all homes on this database. Raises StoreError."""
        return self._tables.public_keys()

    def _backup_source(self) -> Source:
        """The live database for a backup. Raises StoreError, PostgresError."""
        if not self._conninfo:
            raise StoreError("The database is not up yet. Try again in a moment.")
        if self._external:
            return Source(self._conninfo, Programs(find_bin_dir()), self._home.data)
        place = self._cluster.settle()
        return Source(self._conninfo, place.programs, place.data.parent)

    def _leave_database(self) -> None:
        """End every connection, because the database is about to be exchanged."""
        self._entered.clear()
        with self._binding:
            self._database_up = False
            if self._jobs is not None:
                self._jobs.stop()
                self._jobs = None
        self._database.close()

    def _enter_database(self) -> None:
        """Let the supervisor start the stage again: schema, keys and model are those of the exchanged database then. Returns after it."""
        self._exchanged = True
        self._entered.wait(ENTER_SECONDS)
        self.signals.tell("memories")

    def _external_conninfo(self) -> str:
        conninfo = self._external or ""
        check_external(conninfo)
        return conninfo

    def _embedded_conninfo(self) -> str:
        if self._reaper is None:
            self._reaper = start_reaper(self._home, self._cluster)
        return self._cluster.start().conninfo()

    def _bind(self, *, database: bool = False, model: bool = False) -> None:
        """Whichever of the two is up last makes the model known in the database and begins background work."""
        with self._binding:
            self._database_up |= database
            self._model_up |= model
            if self._database_up and self._model_up and self._jobs is None:
                self._store.use_model(OWNER_ID, self._embedder.model)
                self._jobs = DerivedJobs(self._database, OWNER_ID, self._store.model, self._embedder)
                self._jobs.start()

    def _changed(self, operation: MemoryOperation) -> None:
        self.signals.tell(JOURNAL)
        if self._jobs is not None:
            self._jobs.changed(erased=operation.erased)
