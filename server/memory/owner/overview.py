"""Overview: figures for charts, what is worth a look, the graph, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.memory.model import Actor, Relation
from server.memory.owner.base import Outcome, OwnerDomain
from server.memory.owner.ports import Reviewed, Statistics, Totals
from server.memory.reviewing import MAX_HOPS

NAMES_LISTED = 50
PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What the person can set in the window."""

    paused: bool = False
    backup_hours: int = 24  # 0: no backups by themselves
    backups_kept: int = 7


class Overview(OwnerDomain):
    """The store at a glance."""

    def statistics(self, owner_id: int) -> Statistics:
        """What the charts show."""
        return self._rows.statistics(owner_id)

    def totals(self, owner_id: int) -> Totals:
        """Figures of the whole store."""
        return self._rows.totals(owner_id)

    def review(self, owner_id: int, limit: int) -> list[Reviewed]:
        """Memories that are worth a look, most pressing first."""
        return self._rows.review(owner_id, limit)

    def graph(self, owner_id: int, entity: str, hops: int) -> list[Relation]:
        """Relations within so many hops of an entity, nearest first. Raises InvalidInput, StoreError."""
        entity = self.check_query(entity, "entity")
        return self._store.relations(owner_id, entity, min(hops, MAX_HOPS), self.limits.graph_max_relations)

    def entities(self, owner_id: int, text: str) -> list[str]:
        """Names in the graph that hold a text, most connected first."""
        return self._rows.entities(owner_id, text, NAMES_LISTED)

    def preferences(self, owner_id: int) -> Preferences:
        """What is set; what an older or newer version has written and this one cannot use counts as not set."""
        stored = self._rows.settings(owner_id)
        usual = Preferences()
        known = {name: stored[name] for name in usual.__slots__ if type(stored.get(name)) is type(getattr(usual, name))}
        return Preferences(**known)

    def prefer(self, actor: Actor, values: Mapping[str, Any], tool: str = "settings") -> Outcome:
        """Set some of the fields of Preferences."""
        with self._rows.operation(actor, tool) as operation:
            for name, value in sorted(values.items()):
                operation.set_setting(name, value)
        return Outcome(journal_id=operation.journal_id)

    def pause(self, actor: Actor, *, paused: bool) -> Outcome:
        """Stop or resume answering assistants."""
        return self.prefer(actor, {PAUSED: paused}, "pause" if paused else "resume")
