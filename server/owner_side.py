"""What the owner's programs find behind `/api/v1`: the use cases of the window, work in the background, and the store at a glance."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from starlette.routing import Route

from server.jobs.backups import Backups, Schedule
from server.jobs.registry import Jobs
from server.jobs.similar import SimilarPairs
from server.memory.model import Actor, Limits
from server.memory.owner.memories import OwnerMemories
from server.memory.ports import Embedder, StoreError
from server.memory.reviewing import hanging_together
from server.memory.storing import NEAR
from server.oauth.owner import OwnerAccess
from server.paths import Home
from server.signals import Signals
from server.store.owner import PostgresOwnerStore
from server.web.api.files import FileRoutes
from server.web.api.memories import MemoryRoutes
from server.web.api.review import ReviewRoutes
from server.web.api.settings import SettingsRoutes

LITTLE_DISK = 1 << 30  # bytes


class OwnerSide:
    """Everything of one owner that is not for assistants. Safe to share between threads."""

    def __init__(
        self,
        backups: Backups,
        home: Home,
        store: PostgresOwnerStore,
        embedder: Embedder,
        limits: Limits,
        access: OwnerAccess,
        owner_id: int,
        signals: Signals,
    ) -> None:
        self._home = home
        self._store = store
        self._access = access
        self._owner_id = owner_id
        self.jobs = Jobs(lambda: signals.tell("jobs"))
        self._similar = SimilarPairs(store, self.jobs)
        self.memories = OwnerMemories(store, embedder, limits, self._similar)
        person = Actor(owner_id, "person", "owner")
        self.routes: Sequence[Route] = [
            *MemoryRoutes(self.memories, person).routes(),
            *ReviewRoutes(self.memories, person).routes(),
            *SettingsRoutes(self.memories, self.jobs, person).routes(),
            *FileRoutes(self.memories, backups, self.jobs, person).routes(),
        ]
        self._schedule = Schedule(backups, self.jobs, self._backups_wanted)

    def start(self) -> None:
        """Begin what happens by itself, once the database is there. May be called again."""
        self._schedule.start()

    def stop(self) -> None:
        """End work in the background."""
        self._schedule.stop()
        self.jobs.stop()

    def _backups_wanted(self) -> tuple[int, int]:
        preferences = self.memories.preferences(self._owner_id)
        return preferences.backup_hours, preferences.backups_kept

    def paused(self, owner_id: int) -> bool:
        """Whether assistants are kept out. A database that does not answer says so itself when it is asked for more."""
        try:
            return self.memories.preferences(owner_id).paused
        except StoreError:
            return False

    def glance(self) -> dict[str, Any]:
        """Fields of server.api.Status; empty while the database does not answer."""
        try:
            totals = self._store.totals(self._owner_id)
            duplicates = self._duplicates()
            clients = self._store.clients(self._owner_id)
            approvals = len(self._access.pending())
        except StoreError:
            return {}
        free = shutil.disk_usage(self._home.data).free
        low = f"Only {free >> 20} MB are free on the disk with the memories. Make room: without space nothing can be stored."
        return {
            "paused": self.paused(self._owner_id),
            "active": totals.active,
            "deleted": totals.deleted,
            "expired": totals.expired,
            "clients": clients,
            "duplicates": duplicates,
            "approvals": approvals,
            "disk_free": free,
            "problems": (low,) if free < LITTLE_DISK else (),
        }

    def _duplicates(self) -> int | None:
        """How many groups the last look has found, without those that were decided on since; None before the first."""
        checked = self._similar.latest(self._owner_id, NEAR)
        if checked is None:
            return None
        decided = self._store.decided_pairs(self._owner_id)
        alive = self._store.alive(self._owner_id, sorted({one for pair in checked.pairs for one in (pair.left, pair.right)}))
        return len(
            hanging_together(
                [pair for pair in checked.pairs if (pair.left, pair.right) not in decided and {pair.left, pair.right} <= alive]
            )
        )
