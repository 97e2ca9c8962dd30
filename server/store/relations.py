"""The graph of relations: edges that can be reached from an entity."""

from __future__ import annotations

from dataclasses import fields

from server.memory.model import Relation
from server.store.database import Connection

SHOWN = [field.name for field in fields(Relation)]

_HOP = """
SELECT r.id, r.subject, r.predicate, r.object, r.source_memory_id, m.text AS source_text,
       ARRAY[lower(r.subject), lower(r.object)] AS ends
  FROM memory_relations r JOIN memories m ON m.owner_id = r.owner_id AND m.id = r.source_memory_id
 WHERE r.owner_id = %(owner)s AND (lower(r.subject) = ANY(%(frontier)s) OR lower(r.object) = ANY(%(frontier)s))
   AND m.deleted_at IS NULL AND NOT r.id = ANY(%(seen)s)
 ORDER BY r.id LIMIT %(limit)s
"""


def reachable(connection: Connection, owner_id: int, entity: str, max_hops: int, limit: int) -> list[Relation]:
    """Breadth first from an entity, edges taken both ways, whatever the case of names; at most `limit` edges."""
    found: dict[int, Relation] = {}
    # The database folds case here too: its rules and Python's are not the same for every letter.
    start = connection.execute("SELECT lower(%s) AS name", [entity]).fetchone()
    frontier = {start["name"] if start else entity}
    known = set(frontier)
    for _ in range(max_hops):
        rows = connection.execute(
            _HOP, {"owner": owner_id, "frontier": sorted(frontier), "seen": list(found), "limit": limit - len(found)}
        ).fetchall()
        frontier = {name for row in rows for name in row["ends"]} - known
        found |= {row["id"]: Relation(*(row[name] for name in SHOWN)) for row in rows}
        known |= frontier
        if not frontier or len(found) >= limit:
            break
    return list(found.values())
