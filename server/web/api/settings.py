"""Routes of settings, pausing and work in the background."""

from __future__ import annotations

from starlette.routing import Route

from server import api
from server.jobs.registry import Jobs
from server.memory.model import Actor, NotFound
from server.memory.owner.memories import OwnerMemories
from server.web.api.memories import done
from server.web.api.routes import Nothing, route

WAIT_SECONDS = 5.0


class SettingsRoutes:
    """What the person sets, and what the server is doing."""

    def __init__(self, memories: OwnerMemories, jobs: Jobs, actor: Actor) -> None:
        self._memories = memories
        self._jobs = jobs
        self._actor = actor

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [
            route("GET", "/settings", self._view),
            route("PATCH", "/settings", self._change, api.SettingsChange),
            route("POST", "/pause", self._pause),
            route("POST", "/resume", self._resume),
            route("GET", "/jobs", self._listing),
            route("GET", "/jobs/{job_id:number}/end", self._end),
            route("POST", "/jobs/{job_id:number}/cancel", self._cancel),
        ]

    def _view(self, _: Nothing) -> api.SettingsView:
        return api.SettingsView.model_validate(self._memories.preferences(self._actor.owner_id))

    def _change(self, given: api.SettingsChange) -> api.Done:
        return done(self._memories.prefer(self._actor, given.model_dump(exclude_none=True)))

    def _pause(self, _: Nothing) -> api.Done:
        return done(self._memories.pause(self._actor, paused=True))

    def _resume(self, _: Nothing) -> api.Done:
        return done(self._memories.pause(self._actor, paused=False))

    def _listing(self, _: Nothing) -> api.Jobs:
        return api.Jobs.model_validate({"jobs": self._jobs.listing()})

    def _end(self, _: Nothing, job_id: int) -> api.Started:
        """Answers when the work has ended, or after WAIT_SECONDS."""
        job = self._jobs.wait(job_id, WAIT_SECONDS)
        if job is None:
            raise NotFound("There is no such work.")
        return api.Started(job=api.Job.model_validate(job))

    def _cancel(self, _: Nothing, job_id: int) -> api.Jobs:
        if not self._jobs.cancel(job_id):
            raise NotFound("This work has ended already.")
        return self._listing(Nothing())
