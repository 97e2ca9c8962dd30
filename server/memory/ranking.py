"""The order of what recall found: cosine, what was learned, and a lexical term."""

from __future__ import annotations

from collections.abc import Sequence

from server.memory.ports import Candidate

LEARNED_WEIGHT = 0.5  # of salience and of context alike (contract: w)
LEXICAL_WEIGHT = 1 / 16  # measured on retrieval, see benchmarks/README.md


def order(candidate: Candidate) -> float:
    """cosine x (1 + w salience + w context) + lexical term. A cosine below 0 is not made worse by what was learned."""
    learned = LEARNED_WEIGHT * (candidate.salience + candidate.context_match)
    return candidate.cosine * (1 + learned if candidate.cosine > 0 else 1) + LEXICAL_WEIGHT * candidate.bm25


def rank(candidates: Sequence[Candidate], limit: int, min_score: float | None) -> list[Candidate]:
    """The best first; equals by what was confirmed, used or made last. `min_score` counts before `limit`."""

    def key(candidate: Candidate) -> tuple[float, float, int]:
        times = (candidate.last_confirmed_at, candidate.last_used_at, candidate.created_at)
        return order(candidate), max(time.timestamp() for time in times if time is not None), candidate.id

    wanted = [candidate for candidate in candidates if min_score is None or candidate.cosine >= min_score]
    return sorted(wanted, key=key, reverse=True)[:limit]
