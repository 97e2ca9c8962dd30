"""The store: what server.memory.ports.Store asks for, on Postgres."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from server.memory.model import Actor, Filter, JournalEntry, Known, Match, Memory, Record, Relation, Stats
from server.memory.ports import Candidate, EmbeddingModel, LexicalTerms, Pair, StoreError, Vectors
from server.store import derived, journal, memories, pairs, relations, restoring, search
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

    def find_exact(self, owner_id: int, keys: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], int]:
        """The ids of live memories with these normalised texts: (namespace, text_key)."""
        with self._database.statements() as connection:
            return memories.find_exact(connection, owner_id, keys)

    def get(self, owner_id: int, ids: Sequence[int]) -> list[Memory]:
        """Rows in the order of `ids`, deleted ones too; unknown ones are left out."""
        with self._database.statements() as connection:
            return memories.get(connection, owner_id, ids)

    def listing(self, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
        """Newest first."""
        with self._database.statements() as connection:
            return memories.listing(connection, owner_id, wanted, limit, offset)

    def count(self, owner_id: int, wanted: Filter) -> int:
        """How many rows a filter means."""
        with self._database.statements() as connection:
            return memories.count(connection, owner_id, wanted)

    def stats(self, owner_id: int) -> Stats:
        """Figures of the whole store."""
        with self._database.statements() as connection:
            return memories.stats(connection, owner_id)

    def tags(self, owner_id: int, limit: int, *, include_deleted: bool) -> list[tuple[str, int]]:
        """Each tag with the number of memories that carry it, most used first."""
        with self._database.statements() as connection:
            return memories.tags(connection, owner_id, limit, include_deleted=include_deleted)

    def everything(self, owner_id: int, *, include_deleted: bool) -> Iterator[Memory]:
        """Every memory, oldest first, read as it is consumed."""
        with self._database.transaction() as connection:
            yield from memories.everything(connection, owner_id, include_deleted=include_deleted)

    @contextmanager
    def dump(self, owner_id: int) -> Iterator[tuple[int, Iterator[Memory]]]:
        """The number of all memories and each of them, oldest first, as of one moment; read as they are consumed."""
        wanted = Filter(include_deleted=True)
        with self._database.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            count = memories.count(connection, owner_id, wanted)
            with closing(memories.everything(connection, owner_id, include_deleted=True)) as rows:
                yield count, rows

    def find_known(self, owner_id: int, records: Sequence[Record]) -> list[Known | None]:
        """For each record the row that is the same memory: by UUID, else by text."""
        with self._database.transaction() as connection:
            return restoring.find_known(connection, owner_id, records)

    def free_ids(self, owner_id: int, ids: Sequence[int]) -> set[int]:
        """Those of `ids` that no memory has or ever had."""
        with self._database.transaction() as connection:
            return restoring.free_ids(connection, owner_id, ids)

    def reserve_ids(self, highest: int) -> None:
        """New memories get higher ids than this one from now on."""
        with self._database.transaction() as connection:
            restoring.reserve_ids(connection, highest)

    def text_search(self, owner_id: int, text: str, limit: int) -> list[Memory]:
        """Live memories that hold a piece of text, whatever its case, newest first."""
        with self._database.statements() as connection:
            return memories.text_search(connection, owner_id, text, limit)

    def relations(self, owner_id: int, entity: str, max_hops: int, limit: int) -> list[Relation]:
        """Edges that can be reached from an entity, nearest first; those of deleted memories are left out."""
        with self._database.statements() as connection:
            return relations.reachable(connection, owner_id, entity, max_hops, limit)

    def similar(self, owner_id: int, texts: Sequence[Vectors], *, floor: float, limit: int, tombstones: bool) -> Sequence[Sequence[Match]]:
        """For each text the memories whose windows and its own cover each other with at least `floor`, best first."""
        with self._database.transaction() as connection:
            found = search.similar(connection, owner_id, self.model, texts, floor=floor, limit=limit, tombstones=tombstones)
            ids = sorted({memory_id for one in found for memory_id, _ in one})
            rows = {row.id: row for row in memories.get(connection, owner_id, ids)}
        return [[Match(rows[memory_id], score) for memory_id, score in one if memory_id in rows] for one in found]

    def similar_pairs(self, owner_id: int, threshold: float, *, shared_tag: bool) -> Sequence[Pair]:
        """Pairs of live memories that cover each other with at least `threshold`, from the ten nearest of each."""
        with self._database.statements() as connection:
            return pairs.similar_pairs(connection, owner_id, self.model, threshold, shared_tag=shared_tag)

    def candidates(self, owner_id: int, query: Vectors, terms: LexicalTerms, tags: Sequence[str], limit: int) -> Sequence[Candidate]:
        """What either leg finds among live, unexpired memories: up to `limit` of each leg, with both scores for all."""
        with self._database.statements() as connection:
            return search.candidates(connection, owner_id, self.model, query, terms, tags, limit)

    def journal(self, owner_id: int, limit: int, before: int | None) -> Sequence[JournalEntry]:
        """Entries, newest first."""
        with self._database.statements() as connection:
            return journal.entries(connection, owner_id, limit, before)
