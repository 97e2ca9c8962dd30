"""Browsing: all ids of a query in order, rows, memories like one, the sidebar and kept searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.memory import ranking
from server.memory.distinct import differences
from server.memory.model import Actor, Memory, NotFound
from server.memory.owner.base import Found, Mode, Outcome, OwnerDomain
from server.memory.owner.ports import Sidebar, Sorting
from server.memory.query import Query, QueryProblem, parse
from server.memory.storing import NEAR, SAME_TOPIC
from server.memory.terms import query_terms

MEANT = 300  # the most that a search by meaning lists: further down nothing is meant any more
LIKE_ONE = 20
STILL_LOOKING = "Contradictions are being looked for; the list comes by itself in a moment."


@dataclass(frozen=True, slots=True)
class Like:
    """A memory that is like another one, with the words that tell them apart."""

    row: Memory
    similarity: float
    differing_words: list[str]


class Browsing(OwnerDomain):
    """The window's list and what stands beside it."""

    def find(self, owner_id: int, source: str, mode: Mode = "words", sorting: Sorting = Sorting()) -> Found:  # noqa: B008 - it is frozen
        """All ids that a query means, in order; by meaning the best first, live ones only. Raises EmbeddingError, StoreError."""
        try:
            query = parse(source)
            conflicts = self._conflicts(owner_id, query)
        except QueryProblem as problem:
            return Found([], str(problem))
        if mode == "meaning" and query.words:
            return Found(self._by_meaning(owner_id, query, conflicts))
        return Found(self._rows.find(owner_id, query, sorting, conflicts))

    def _by_meaning(self, owner_id: int, query: Query, conflicts: Sequence[int]) -> list[int]:
        words = self.check_query(query.words)
        found = self._store.candidates(owner_id, self._embedder.embed_query(words), query_terms(words), (), MEANT)
        ids = [one.id for one in ranking.rank(found, MEANT, None)]
        kept = self._rows.filtered(owner_id, query.without_words(), ids, conflicts)
        return [one for one in ids if one in kept]

    def _conflicts(self, owner_id: int, query: Query) -> list[int]:
        """The memories that is:conflict means: alike, with a common tag, and yet they say different things."""
        if not any(getattr(term.atom, "state", None) == "conflict" for term in query.terms):
            return []
        checked = self._check.pairs(owner_id, SAME_TOPIC, shared_tag=True)
        if checked is None:
            raise QueryProblem(STILL_LOOKING)
        decided = self._rows.decided_pairs(owner_id)
        pairs = [pair for pair in checked.pairs if (pair.left, pair.right) not in decided]
        rows = {row.id: row for row in self._store.get(owner_id, sorted({one for pair in pairs for one in (pair.left, pair.right)}))}
        return sorted(
            {
                one
                for pair in pairs
                if pair.left in rows and pair.right in rows and contradict(rows[pair.left], rows[pair.right], pair.similarity)
                for one in (pair.left, pair.right)
            }
        )

    def rows(self, owner_id: int, ids: Sequence[int]) -> list[Memory]:
        """Rows in the order of `ids`, deleted ones too; unknown ones are left out."""
        return self._store.get(owner_id, ids)

    def like(self, owner_id: int, memory_id: int) -> list[Like]:
        """Live memories like this one, best first. Raises NotFound, EmbeddingError, StoreError."""
        memory = self.get(owner_id, memory_id)
        vectors = self._embedder.embed_passages([memory.text])
        (found,) = self._store.similar(owner_id, vectors, floor=SAME_TOPIC, limit=LIKE_ONE + 1, tombstones=False)
        return [
            Like(match.memory, match.score, differences(memory.text, match.memory.text)) for match in found if match.memory.id != memory_id
        ][:LIKE_ONE]

    def sidebar(self, owner_id: int) -> Sidebar:
        """Everything beside the table."""
        return self._rows.sidebar(owner_id)

    def keep_search(self, actor: Actor, name: str, query: str) -> tuple[int, Outcome]:
        """Keep a query under a name; its id. A name that is there already gets the new query."""
        name = self.check_query(name, "name")
        with self._rows.operation(actor, "save_search") as operation:
            search_id = operation.name_search(name, query)
        return search_id, Outcome(journal_id=operation.journal_id)

    def drop_search(self, actor: Actor, search_id: int) -> Outcome:
        """Forget a kept query. Raises NotFound."""
        with self._rows.operation(actor, "delete_search") as operation:
            if not operation.drop_search(search_id):
                raise NotFound(f"There is no saved search {search_id}.")
        return Outcome(journal_id=operation.journal_id)


def contradict(left: Memory, right: Memory, similarity: float) -> bool:
    """Whether two similar memories say different things; those that are nearly the same in other words are duplicates instead."""
    return similarity < NEAR or bool(differences(left.text, right.text))
