"""Why recall answers what it answers: every candidate with the parts of its order, the cut included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.memory import learning, ranking
from server.memory.finding import CANDIDATES
from server.memory.model import Actor, Memory
from server.memory.owner.base import Outcome, OwnerDomain
from server.memory.ports import Candidate, EmbeddingError
from server.memory.tags import normalize_tags
from server.memory.terms import query_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """order = cosine x (1 + salience_part + context_part) + lexical_part + support_part."""

    row: Memory
    rank: int
    cosine: float
    lexical: float
    lexical_part: float
    salience_part: float
    context_part: float
    support_part: float
    order: float
    dense_rank: int | None
    lexical_rank: int | None
    shown: bool


class Explaining(OwnerDomain):
    """The same look and the same order as recall's."""

    def explain(self, owner_id: int, query: str, limit: int, min_score: float | None, tags: Sequence[str]) -> list[Explained]:
        """All that recall has looked at closely, best first. Raises InvalidInput, EmbeddingError, StoreError."""
        query = self.check_query(query)
        wanted = normalize_tags(tags)
        if tags and not wanted:
            return []
        found = self._store.candidates(owner_id, self._embedder.embed_query(query), query_terms(query), wanted, CANDIDATES)
        ranked = ranking.rank(found, len(found), None)
        shown = {one.id for one in ranking.rank(found, min(limit, self.limits.max_recall_limit), min_score)}
        orders = ranking.supported(found)
        dense = _ranks([(one.cosine, one.id) for one in found])
        lexical = _ranks([(one.bm25, one.id) for one in found if one.bm25 > 0])
        rows = {row.id: row for row in self._store.get(owner_id, [one.id for one in ranked])}
        return [
            _explained(rows[one.id], place, one, orders[one.id], dense.get(one.id), lexical.get(one.id), one.id in shown)
            for place, one in enumerate(ranked, 1)
            if one.id in rows
        ]

    def feedback(self, actor: Actor, ids: Sequence[int], delta: float, query: str | None) -> Outcome:
        """Say how well memories answered a query, which is learned where they did. Raises InvalidInput, StoreError."""
        context = None
        if query is not None and delta > 0:
            try:
                context = self._embedder.embed_query(self.check_query(query))
            except EmbeddingError:  # the feedback itself counts all the same
                context = None
        outcome = Outcome()
        with self._rows.operation(actor, "feedback") as operation:
            for row in operation.lock_all(ids):
                if row.deleted_at is not None:
                    outcome.skip("It is in the trash.")
                    continue
                after = operation.update(row, learning.reinforced(row, delta, self._now()))
                if context is not None:
                    operation.learn_context(after, context)
                outcome.changed.append(row.id)
        outcome.journal_id = operation.journal_id
        return outcome


def _ranks(scores: list[tuple[float, int]]) -> dict[int, int]:
    """The place of each among the candidates of one leg, from 1."""
    ordered = sorted(scores, key=lambda score: (-score[0], score[1]))
    return {memory_id: place for place, (_, memory_id) in enumerate(ordered, 1)}


def _explained(
    row: Memory, place: int, one: Candidate, order: float, dense_rank: int | None, lexical_rank: int | None, shown: bool
) -> Explained:
    learned = ranking.LEARNED_WEIGHT if one.cosine > 0 else 0.0
    return Explained(
        row=row,
        rank=place,
        cosine=one.cosine,
        lexical=one.bm25,
        lexical_part=ranking.LEXICAL_WEIGHT * one.bm25,
        salience_part=learned * one.salience,
        context_part=learned * one.context_match,
        support_part=order - ranking.order(one),
        order=order,
        dense_rank=dense_rank,
        lexical_rank=lexical_rank,
        shown=shown,
    )
