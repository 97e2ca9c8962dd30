"""Routes of backups and of exports by selection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.routing import Route

from server import api
from server.jobs.backups import Backups
from server.jobs.exporting import export
from server.jobs.registry import Jobs, Progress
from server.memory.model import Actor, InvalidInput
from server.memory.owner.base import Scope
from server.memory.owner.memories import OwnerMemories
from server.web.api.memories import scope_of
from server.web.api.routes import Nothing, route


class FileRoutes:
    """What is written to files, and read back. Each is work in the background."""

    def __init__(self, memories: OwnerMemories, backups: Backups, jobs: Jobs, actor: Actor) -> None:
        self._memories = memories
        self._backups = backups
        self._jobs = jobs
        self._actor = actor

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [
            route("GET", "/backups", self._listing),
            route("POST", "/backups", self._make, api.BackupWanted),
            route("POST", "/backups/restore", self._restore, api.RestoreWanted),
            route("POST", "/export", self._export, api.ExportWanted),
        ]

    def _listing(self, _: Nothing) -> api.Backups:
        return api.Backups.model_validate({"backups": self._backups.listing()})

    def _make(self, given: api.BackupWanted) -> api.Started:
        path = None if given.path is None else absolute(given.path)
        return self._start("backup", lambda progress: self._backups.make(progress, path, given.passphrase).path)

    def _restore(self, given: api.RestoreWanted) -> api.Started:
        path = absolute(given.path)
        return self._start("restore", lambda progress: self._backups.restore(progress, path, given.passphrase))

    def _export(self, given: api.ExportWanted) -> api.Started:
        path = absolute(given.path)
        scope = Scope(query="") if given.scope is None else scope_of(given.scope)
        ids = self._memories.scope_ids(self._actor.owner_id, scope)

        def work(progress: Progress) -> str:
            return export(lambda some: self._memories.rows(self._actor.owner_id, some), ids, given.format, path, progress)

        return self._start("export", work)

    def _start(self, kind: str, work: Callable[[Progress], str]) -> api.Started:
        return api.Started(job=api.Job.model_validate(self._jobs.start(kind, work)))


def absolute(text: str) -> Path:
    """A path that means the same for the server and for who asks. Raises InvalidInput."""
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise InvalidInput("path must be absolute: the server works in another folder.")
    return path
