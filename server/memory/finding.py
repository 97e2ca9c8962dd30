"""Finding: by meaning and words together, by a piece of the text, and packed into a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from server.memory import ranking
from server.memory.domain import Domain
from server.memory.model import Match, Memory
from server.memory.tags import normalize_tags
from server.memory.terms import query_terms

CANDIDATES = 100  # of each leg

FACTS_FOLLOW = "The following are previously known facts:"
NO_FACTS = "No relevant previously known facts were found."
DIVIDER = "-" * 17
PROMPT_FOLLOWS = "The following is the user's prompt:"


class Finding(Domain):
    """recall, text_search and build_context_prompt."""

    def recall(self, owner_id: int, query: str, limit: int, min_score: float | None = None, tags: Sequence[str] = ()) -> list[Match]:
        """The memories that answer a query best, best first. Raises InvalidInput, EmbeddingError, StoreError."""
        query = self.check_query(query)
        wanted = normalize_tags(tags)
        if tags and not wanted:
            return []
        found = self._store.candidates(owner_id, self._embedder.embed_query(query), query_terms(query), wanted, CANDIDATES)
        best = {one.id: one.cosine for one in ranking.rank(found, min(limit, self.limits.max_recall_limit), min_score)}
        return [Match(memory, best[memory.id]) for memory in self._store.get(owner_id, list(best))]

    def text_search(self, owner_id: int, text: str, limit: int) -> list[Memory]:
        """Live memories that hold a piece of text, whatever its case, newest first. Raises InvalidInput, StoreError."""
        self.check_query(text, "text")
        return self._store.text_search(owner_id, text, min(limit, self.limits.max_recall_limit))

    def build_prompt(
        self, owner_id: int, user_prompt: str, limit: int, max_chars: int | None, min_score: float | None, tags: Sequence[str]
    ) -> str:
        """The contract's envelope around the facts that fit into `max_chars`, at least one where any matched."""
        found = self.recall(owner_id, self.check_query(user_prompt, "user_prompt"), limit, min_score, tags)
        return pack(user_prompt, [match.memory.text for match in found], max_chars)


def pack(user_prompt: str, facts: Sequence[str], max_chars: int | None) -> str:
    """Facts in order until the next would make the whole prompt longer than `max_chars`."""
    packed = list(facts[:1])
    for fact in facts[1:]:
        if max_chars is not None and len(_envelope(user_prompt, [*packed, fact])) > max_chars:
            break
        packed.append(fact)
    return _envelope(user_prompt, packed)


def _envelope(user_prompt: str, facts: Sequence[str]) -> str:
    known = [FACTS_FOLLOW, *facts] if facts else [NO_FACTS]
    return "\n\n".join([*known, DIVIDER, PROMPT_FOLLOWS, user_prompt])
