"""The store: what server.memory.ports.Store asks for, on Postgres."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from server.memory.model import Actor, Filter, JournalEntry, Match, Memory, Stats
from server.memory.ports import Candidate, EmbeddingModel, LexicalTerms, StoreError, Vectors
from server.store import derived, journal, memories, search
from server.store.database import Database
from server.store.derived import ModelRow
from server.store.operation import MemoryOperation


class PostgresStore:
    """Memories of all owners in one database. Safe to share between threads."""

    def __init__(self, database: Database, changed: Callable[[MemoryOperation], None] = lambda _: None) -> None:
        self._database = database
        self._changed = changed  # told after each operation that was committed
        self._model: ModelRow | None = None

    def use_model(self, owner_id: int, model: EmbeddingModel) -> None:
        """Make a model's generation the one that every search and write of this process means."""
        with self._database.transaction() as connection:
            self._model = derived.register_model(connection, owner_id, model)

    @property
    def model(self) -> ModelRow:
        """The current model. Raises StoreError before `use_model`."""
        if self._model is None:
            raise StoreError("The embedding model is not ready yet. Try again in a moment.")
        return self._model

    @contextmanager
    def operation(self, actor: Actor, tool: str) -> Iterator[MemoryOperation]:
        """The only way to change rows. Commits on leaving, takes everything back on an exception."""
        with self._database.transaction() as connection:
            operation = MemoryOperation(connection, actor, tool, self._model)
            yield operation
            operation.finish()
        self._changed(operation)

    def find_exact(self, owner_id: int, namespace: str, text_key: bytes) -> int | None:
        """The id of the live memory with this normalised text."""
        with self._database.transaction() as connection:
            return memories.find_exact(connection, owner_id, namespace, text_key)

    def get(self, owner_id: int, ids: Sequence[int]) -> list[Memory]:
        """Rows in the order of `ids`, deleted ones too; unknown ones are left out."""
        with self._database.transaction() as connection:
            return memories.get(connection, owner_id, ids)

    def listing(self, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
        """Newest first."""
        with self._database.transaction() as connection:
            return memories.listing(connection, owner_id, wanted, limit, offset)

    def count(self, owner_id: int, wanted: Filter) -> int:
        """How many rows a filter means."""
        with self._database.transaction() as connection:
            return memories.count(connection, owner_id, wanted)

    def stats(self, owner_id: int) -> Stats:
        """Figures of the whole store."""
        with self._database.transaction() as connection:
            return memories.stats(connection, owner_id)

    def similar(self, owner_id: int, vectors: Vectors, *, floor: float, limit: int, tombstones: bool) -> Sequence[Match]:
        """Memories whose windows and the given ones cover each other with at least `floor`, best first."""
        with self._database.transaction() as connection:
            scores = dict(search.similar(connection, owner_id, self.model, vectors, floor=floor, limit=limit, tombstones=tombstones))
            return [Match(memory, scores[memory.id]) for memory in memories.get(connection, owner_id, list(scores))]

    def candidates(self, owner_id: int, query: Vectors, terms: LexicalTerms, tags: Sequence[str], limit: int) -> Sequence[Candidate]:
        """What either leg finds among live, unexpired memories: up to `limit` of each leg, with both scores for all."""
        with self._database.transaction() as connection:
            return search.candidates(connection, owner_id, self.model, query, terms, tags, limit)

    def journal(self, owner_id: int, limit: int, before: int | None) -> Sequence[JournalEntry]:
        """Entries, newest first."""
        with self._database.transaction() as connection:
            return journal.entries(connection, owner_id, limit, before)
