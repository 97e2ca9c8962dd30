"""Reviewing: lists, counts, duplicates, contradictions, relations, and the whole store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations

from server.memory.distinct import differences
from server.memory.domain import Domain
from server.memory.model import MAX_ID, Filter, Memory, Refusal, Relation, Stats
from server.memory.ports import Pair
from server.memory.tags import normalize_tags

MAX_TAGS_LISTED = 500
MAX_HOPS = 5


class LimitExceeded(Refusal):
    """More was asked for than one call may give."""

    code = "LIMIT_EXCEEDED"


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that hang together by similar pairs, with the words that tell their texts apart."""

    memories: list[Memory]
    max_similarity: float
    pair_count: int
    differing_words: list[str]


class Reviewing(Domain):
    """list_memories, count_memories, memory_stats, list_tags, find_near_duplicates, find_conflicts, query_relations, export_memories."""

    def listing(self, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
        """Newest first; `limit` is cut to the cap. Raises InvalidInput, StoreError."""
        self.check_filter(wanted)
        return self._store.listing(owner_id, wanted, min(limit, self.limits.max_recall_limit), min(offset, MAX_ID))

    def count(self, owner_id: int, wanted: Filter, tags: Sequence[str] = ()) -> int:
        """How many memories a filter means, of those with at least one of the tags. Raises InvalidInput, StoreError."""
        self.check_filter(wanted)
        normal = normalize_tags(tags)
        if tags and not normal:
            return 0
        return self._store.count(owner_id, replace(wanted, tags=normal))

    def stats(self, owner_id: int) -> Stats:
        """Figures of the whole store."""
        return self._store.stats(owner_id)

    def tags(self, owner_id: int, limit: int, *, include_deleted: bool) -> list[tuple[str, int]]:
        """Each tag with the number of memories that carry it, most used first."""
        return self._store.tags(owner_id, min(limit, MAX_TAGS_LISTED), include_deleted=include_deleted)

    def similar_groups(self, owner_id: int, threshold: float, max_groups: int, *, shared_tag: bool) -> list[Group]:
        """Live memories that are at least this similar, grouped so that a~b and b~c come together, strongest group first."""
        pairs = self._store.similar_pairs(owner_id, threshold, shared_tag=shared_tag)
        clusters = sorted(hanging_together(pairs), key=lambda cluster: (-max(pair.similarity for pair in cluster), _ids(cluster)))[
            :max_groups
        ]
        rows = {row.id: row for row in self._store.get(owner_id, sorted({one for cluster in clusters for one in _ids(cluster)}))}
        return [_group(cluster, rows) for cluster in clusters if all(one in rows for one in _ids(cluster))]

    def relations(self, owner_id: int, entity: str, max_hops: int) -> list[Relation]:
        """Relations within so many hops of an entity, nearest first. Raises InvalidInput, StoreError."""
        entity = self.check_query(entity, "entity")
        return self._store.relations(owner_id, entity, min(max_hops, MAX_HOPS), self.limits.graph_max_relations)

    def export(self, owner_id: int, *, include_deleted: bool) -> Iterator[Memory]:
        """Every memory, oldest first. Raises LimitExceeded before the first one, StoreError."""
        count = self._store.count(owner_id, Filter(include_deleted=include_deleted))
        most = self.limits.max_export_rows
        if count > most:
            raise LimitExceeded(f"The store holds {count} memories, more than the {most} of one call. Use `ownsona export` instead.")
        return self._store.everything(owner_id, include_deleted=include_deleted)

    def dump(self, owner_id: int) -> AbstractContextManager[tuple[int, Iterator[Memory]]]:
        """How many memories there are, and each of them, oldest first, however many; as of one moment. Raises StoreError."""
        return self._store.dump(owner_id)


def _ids(cluster: Sequence[Pair]) -> list[int]:
    return sorted({one for pair in cluster for one in (pair.left, pair.right)})


def hanging_together(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Union-find over pairs."""
    parent: dict[int, int] = {}

    def root(one: int) -> int:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for pair in pairs:
        parent[root(pair.right)] = root(pair.left)
    found: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[root(pair.left)].append(pair)
    return list(found.values())


def _group(cluster: Sequence[Pair], rows: dict[int, Memory]) -> Group:
    memories = [rows[one] for one in _ids(cluster)]
    words = [word for left, right in combinations(memories[:20], 2) for word in differences(left.text, right.text)]
    return Group(memories, max(pair.similarity for pair in cluster), len(cluster), list(dict.fromkeys(words)))
