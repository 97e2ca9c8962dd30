"""Routes of memories: lists, rows, edits, trash, history, kept searches."""

from __future__ import annotations

from starlette.routing import Route

from server import api
from server.memory.model import Actor
from server.memory.owner.base import Outcome, Scope
from server.memory.owner.editing import Changes
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.ports import Past, PastEntry, Sorting
from server.memory.owner.replacing import Wanted
from server.web.api.routes import Nothing, route

HISTORY_LISTED = 200


class Listing(api.Request):
    """The query of GET /memories."""

    q: str = ""
    mode: api.Mode = "words"
    sort: api.Sort = "created"
    order: api.Order = "desc"


class MemoryRoutes:
    """The list, what is done with it, and what stands beside it."""

    def __init__(self, memories: OwnerMemories, actor: Actor) -> None:
        self._memories = memories
        self._actor = actor

    def routes(self) -> list[Route]:
        """Routes below `/api/v1`."""
        return [
            route("GET", "/memories", self._list, Listing),
            route("POST", "/memories", self._add, api.NewMemory),
            route("PATCH", "/memories", self._edit, api.Edit),
            route("POST", "/memories/rows", self._page, api.RowsWanted),
            route("POST", "/memories/confirm", self._confirm, api.Chosen),
            route("POST", "/memories/trash", self._trash, api.Chosen),
            route("POST", "/memories/restore", self._restore, api.Chosen),
            route("POST", "/memories/erase", self._erase, api.Chosen),
            route("POST", "/memories/replace", self._replace, api.Replace),
            route("GET", "/memories/{memory_id:number}/history", self._history),
            route("GET", "/memories/{memory_id:number}/similar", self._similar),
            route("GET", "/sidebar", self._sidebar),
            route("POST", "/searches", self._keep_search, api.NewSearch),
            route("DELETE", "/searches/{search_id:number}", self._drop_search),
        ]

    def _list(self, given: Listing) -> api.Found:
        sorting = Sorting(given.sort, descending=given.order == "desc")
        found = self._memories.find(self._actor.owner_id, given.q, given.mode, sorting)
        # The ids come from the database; checking 100 000 of them again would take longer than finding them.
        return api.Found.model_construct(ids=tuple(found.ids), count=len(found.ids), problem=found.problem)

    def _page(self, given: api.RowsWanted) -> api.Rows:
        return api.Rows.model_validate({"rows": self._memories.rows(self._actor.owner_id, given.ids)})

    def _add(self, given: api.NewMemory) -> api.Done:
        return done(self._memories.add(self._actor, given.text, given.tags, given.importance, given.expires_at))

    def _edit(self, given: api.Edit) -> api.Done:
        wanted = given.changes
        changes = Changes(
            text=wanted.text,
            add_tags=wanted.add_tags,
            remove_tags=wanted.remove_tags,
            importance=wanted.importance,
            expires="expires_at" in wanted.model_fields_set,
            expires_at=wanted.expires_at,
            keep=wanted.keep,
        )
        return done(self._memories.change(self._actor, scope_of(given.scope), changes, given.version))

    def _confirm(self, given: api.Chosen) -> api.Done:
        return done(self._memories.confirm(self._actor, scope_of(given.scope)))

    def _trash(self, given: api.Chosen) -> api.Done:
        return done(self._memories.trash(self._actor, scope_of(given.scope), given.reason))

    def _restore(self, given: api.Chosen) -> api.Done:
        return done(self._memories.restore(self._actor, scope_of(given.scope)))

    def _erase(self, given: api.Chosen) -> api.Done:
        return done(self._memories.erase(self._actor, scope_of(given.scope)))

    def _replace(self, given: api.Replace) -> api.Replacement:
        wanted = Wanted(given.find, given.replace, given.regex, given.case, given.field)
        replaced = self._memories.replace(self._actor, scope_of(given.scope), wanted, dry_run=given.dry_run)
        return api.Replacement(
            count=replaced.count,
            samples=tuple(map(api.Sample.model_validate, replaced.samples)),
            done=None if replaced.outcome is None else done(replaced.outcome),
        )

    def _history(self, _: Nothing, memory_id: int) -> api.Entries:
        self._memories.get(self._actor.owner_id, memory_id)
        return entries(self._memories.past(self._actor.owner_id, Past(HISTORY_LISTED, memory_id=memory_id)))

    def _similar(self, _: Nothing, memory_id: int) -> api.Similars:
        return api.Similars.model_validate({"similar": self._memories.like(self._actor.owner_id, memory_id)})

    def _sidebar(self, _: Nothing) -> api.Sidebar:
        return api.Sidebar.model_validate(self._memories.sidebar(self._actor.owner_id))

    def _keep_search(self, given: api.NewSearch) -> api.Done:
        search_id, outcome = self._memories.keep_search(self._actor, given.name, given.query)
        return api.Done(journal_id=outcome.journal_id, count=1, ids=(search_id,))

    def _drop_search(self, _: Nothing, search_id: int) -> api.Done:
        return api.Done(journal_id=self._memories.drop_search(self._actor, search_id).journal_id, count=1, ids=(search_id,))


def scope_of(given: api.Scope) -> Scope:
    """Which memories the domain takes."""
    return Scope(given.ids, given.query or "", given.mode)


def done(outcome: Outcome) -> api.Done:
    """What a write did, as the window needs it for its notice and undo."""
    return api.Done(
        journal_id=outcome.journal_id,
        count=len(outcome.changed),
        ids=tuple(outcome.changed[: api.DONE_IDS]),
        skipped=outcome.skipped,
        skipped_reason=outcome.skipped_reason,
    )


def entries(found: list[PastEntry]) -> api.Entries:
    """Journal entries as JSON can hold them."""
    return api.Entries(entries=tuple(map(_entry, found)))


def _entry(past: PastEntry) -> api.Entry:
    entry = past.entry
    changes = tuple(api.Change(table=row.table, id=row.row_id, before=row.before, after=row.after) for row in entry.rows)
    return api.Entry.model_validate(
        {
            "id": entry.id,
            "at": entry.at,
            "actor_kind": entry.actor_kind,
            "actor": entry.actor,
            "tool": entry.tool,
            "undoes": entry.undoes,
            "undone_by": past.undone_by,
            "count": past.count,
            "changes": changes,
        }
    )
