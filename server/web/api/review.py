"""Routes for looking through the store: explained recall, duplicates, the journal, figures, the graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.routing import Route

from server import api
from server.memory.model import Actor
from server.memory.owner.duplicates import Merged
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.ports import Decision, Past
from server.memory.storing import NEAR
from server.web.api.memories import done, entries
from server.web.api.routes import Nothing, route


class DuplicatesWanted(api.Request):
    """The query of GET /duplicates."""

    threshold: Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False)] = NEAR
    conflicts: bool = False


class EntriesWanted(api.Request):
    """The query of GET /journal."""

    limit: Annotated[int, Field(ge=1, le=500)] = 50
    before: Annotated[int, Field(ge=1, le=api.MAX_ID)] | None = None
    actor: api.Text | None = None
    tool: api.Text | None = None


class GraphWanted(api.Request):
    """The query of GET /graph."""

    entity: api.Text
    hops: Annotated[int, Field(ge=1, le=5)] = 2


class NamesWanted(api.Request):
    """The query of GET /entities."""

    q: api.Text = ""


class ReviewWanted(api.Request):
    """The query of GET /review."""

    limit: Annotated[int, Field(ge=1, le=api.MAX_ROWS)] = 100


class ReviewRoutes:
    """Looking through what is there, and putting it right."""

    def __init__(self, memories: OwnerMemories, actor: Actor) -> None:
        self._memories = memories
        self._actor = actor

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [
            route("POST", "/explain", self._explain, api.Explain),
            route("POST", "/feedback", self._feedback, api.Feedback),
            route("GET", "/duplicates", self._duplicates, DuplicatesWanted),
            route("POST", "/duplicates/distinct", self._distinct, api.Pairs),
            route("POST", "/duplicates/related", self._related, api.Pairs),
            route("POST", "/merge", self._merge, api.Merge),
            route("GET", "/journal", self._journal, EntriesWanted),
            route("POST", "/journal/{journal_id:number}/undo", self._undo),
            route("POST", "/journal/rollback", self._rollback, api.RollbackWanted),
            route("GET", "/graph", self._graph, GraphWanted),
            route("GET", "/entities", self._entities, NamesWanted),
            route("GET", "/statistics", self._statistics),
            route("GET", "/review", self._review, ReviewWanted),
        ]

    def _explain(self, given: api.Explain) -> api.Explanation:
        found = self._memories.explain(self._actor.owner_id, given.query, given.limit, given.min_score, given.tags)
        return api.Explanation.model_validate({"matches": found, "shown": sum(one.shown for one in found)})

    def _feedback(self, given: api.Feedback) -> api.Done:
        return done(self._memories.feedback(self._actor, given.ids, given.delta, given.query))

    def _duplicates(self, given: DuplicatesWanted) -> api.Groups:
        return api.Groups.model_validate(self._memories.groups(self._actor.owner_id, given.threshold, conflicts=given.conflicts))

    def _distinct(self, given: api.Pairs) -> api.Done:
        return self._decide(given, "distinct")

    def _related(self, given: api.Pairs) -> api.Done:
        return self._decide(given, "related")

    def _decide(self, given: api.Pairs, decision: Decision) -> api.Done:
        return done(self._memories.decide(self._actor, [(pair.left, pair.right) for pair in given.pairs], decision))

    def _merge(self, given: api.Merge) -> api.Done:
        fields = given.fields
        wanted = Merged(
            text=fields.text,
            tags=fields.tags,
            importance=fields.importance,
            expires="expires_at" in fields.model_fields_set,
            expires_at=fields.expires_at,
        )
        return done(self._memories.merge(self._actor, given.keeper, given.others, wanted))

    def _journal(self, given: EntriesWanted) -> api.Entries:
        return entries(self._memories.past(self._actor.owner_id, Past(given.limit, given.before, given.actor, given.tool)))

    def _undo(self, _: Nothing, journal_id: int) -> api.Done:
        return done(self._memories.undo(self._actor, journal_id))

    def _rollback(self, given: api.RollbackWanted) -> api.Rollback:
        result = self._memories.rollback(self._actor, given.actor, given.since, dry_run=given.dry_run)
        return api.Rollback(
            count=len(result.entries),
            conflicts=tuple(result.conflicts),
            done=None if given.dry_run else done(result.outcome),
        )

    def _graph(self, given: GraphWanted) -> api.Graph:
        return api.Graph.model_validate({"relations": self._memories.graph(self._actor.owner_id, given.entity, given.hops)})

    def _entities(self, given: NamesWanted) -> api.Names:
        return api.Names(names=tuple(self._memories.entities(self._actor.owner_id, given.q)))

    def _statistics(self, _: Nothing) -> api.Statistics:
        return api.Statistics.model_validate(self._memories.statistics(self._actor.owner_id))

    def _review(self, given: ReviewWanted) -> api.Review:
        return api.Review.model_validate({"rows": self._memories.review(self._actor.owner_id, given.limit)})
