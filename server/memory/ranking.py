"""The order of what recall found: cosine, what was learned, a lexical term, and support by what was said beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from server.memory.ports import Candidate

LEARNED_WEIGHT = 0.5  # of salience and of context alike (contract: w)
# Measured on retrieval, see benchmarks/README.md.
LEXICAL_WEIGHT = 1 / 16
SUPPORT_WEIGHT = 0.2
SUPPORT = {1: 0.5, 2: 0.25}  # share of a neighbour's own order, by how many memories apart
ONE_BREATH = timedelta(minutes=10)


def order(candidate: Candidate) -> float:
    """cosine x (1 + w salience + w context) + lexical term. A cosine below 0 is not made worse by what was learned."""
    learned = LEARNED_WEIGHT * (candidate.salience + candidate.context_match)
    return candidate.cosine * (1 + learned if candidate.cosine > 0 else 1) + LEXICAL_WEIGHT * candidate.bm25


def supported(candidates: Sequence[Candidate]) -> dict[int, float]:
    """The order of each, raised where memories stored right before or after it in the same session match the query too.

    What is said in one conversation hangs together: an answer often stands beside the words of the question.
    """
    own = {one.id: order(one) for one in candidates}
    by_id = {one.id: one for one in candidates}
    return {one.id: own[one.id] + SUPPORT_WEIGHT * _support(one, by_id, own) for one in candidates}


def _support(one: Candidate, by_id: Mapping[int, Candidate], own: Mapping[int, float]) -> float:
    support = 0.0
    for apart, share in SUPPORT.items():
        for neighbour in (by_id.get(one.id - apart), by_id.get(one.id + apart)):
            if neighbour is not None and _together(one, neighbour):
                support += share * max(own[neighbour.id], 0.0)
    return support


def _together(one: Candidate, other: Candidate) -> bool:
    return one.session_id == other.session_id and abs(one.created_at - other.created_at) <= ONE_BREATH


def rank(candidates: Sequence[Candidate], limit: int, min_score: float | None) -> list[Candidate]:
    """The best first; equals by what was confirmed, used or made last. `min_score` counts before `limit`."""

    def key(candidate: Candidate) -> tuple[float, float, int]:
        times = (candidate.last_confirmed_at, candidate.last_used_at, candidate.created_at)
        return orders[candidate.id], max(time.timestamp() for time in times if time is not None), candidate.id

    orders = supported(candidates)
    wanted = [candidate for candidate in candidates if min_score is None or candidate.cosine >= min_score]
    return sorted(wanted, key=key, reverse=True)[:limit]
