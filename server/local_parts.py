"""The parts of a server on this computer: the embedded Postgres (or one of the person's own), the model, the toolsets."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from server.embedding.service import open_embedder
from server.endpoints import PATHS
from server.jobs.derived import DerivedJobs
from server.memory.memories import Memories
from server.memory.model import Actor, Conflict, Limits, NotFound
from server.memory.ports import StoreError
from server.oauth.builtin import OWNER_ID
from server.oauth.keys import PublicJwk
from server.oauth.owner import OAuthParts
from server.parts import StartError
from server.paths import Home
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from server.postgres.external import check_external
from server.postgres.reaping import dismiss, start_reaper
from server.settings import Settings
from server.store.database import Database
from server.store.oauth import OAuthTables
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from server.store.operation import MemoryOperation
from server.store.schema import migrate
from server.store.store import PostgresStore
from server.toolsets.base import Toolset
from server.toolsets.memories.toolset import PROFILES, MemoriesToolset
from server.transfer.service import OwnerTransfer
from server.web.local_api import UndoRefusedError

log = logging.getLogger(__name__)

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
        self._store = PostgresStore(self._database, self._changed)
        self._jobs: DerivedJobs | None = None
        self._binding = threading.Lock()
        self._database_up = self._model_up = False
        self._stopping = threading.Event()
        limits = Limits(**{field.name: getattr(settings, field.name) for field in fields(Limits)})
        memories = Memories(self._store, self._embedder, limits)
        served: dict[str, Toolset] = {name: MemoriesToolset(memories, name) for name in PROFILES}
        self.toolsets: Mapping[str, Toolset] = {path: served[name] for name, path in PATHS.items()}
        self.journal = OwnerJournal(memories)
        self.transfer = OwnerTransfer(memories, OWNER_ID)
        self._tables = self.grants = OAuthTables(self._database.statements, OWNER_ID)
        connect = self._database.transaction
        self.oauth = OAuthParts(OAuthFlow(connect, OWNER_ID), OAuthOwner(connect, OWNER_ID), settings.fixed_login())

    def start_database(self) -> None:
        """The cluster or the person's own server, the schema, the pool. Raises StartError."""
        try:
            conninfo = self._external_conninfo() if self._external else self._embedded_conninfo()
            migrate(conninfo)
            self._database.move(conninfo)
            self._bind(database=True)
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
        return bool(self._external) or self._cluster.poll()

    def model_alive(self) -> bool:
        """Whether the embedder has not given up; it restarts its worker by itself."""
        return self._embedder.state != "failed"

    def stop_database(self) -> None:
        """Background work, pool, cluster, and then the one who would clean up after a crash."""
        self._stopping.set()
        if self._jobs is not None:
            self._jobs.stop()
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
        if self._jobs is not None:
            self._jobs.changed(erased=operation.erased)


class OwnerJournal:
    """The journal for the owner's programs: implements server.web.local_api.Journal."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    def entries(self, limit: int, before: int | None) -> Sequence[Mapping[str, Any]]:
        """Newest first, older than the id `before`."""
        return [_plain(asdict(entry)) for entry in self._memories.journal(OWNER_ID, limit, before)]

    def undo(self, entry_id: int) -> Mapping[str, Any]:
        """Take an entry back; the ids of the memories that changed."""
        try:
            return {"memory_ids": self._memories.undo(Actor(OWNER_ID, "person", "owner"), entry_id)}
        except NotFound:
            raise LookupError(entry_id) from None
        except Conflict as error:
            raise UndoRefusedError(error.message) from None


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
