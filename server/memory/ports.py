"""What the domain needs from outside: an embedder and a store. `server.embedding` and `server.store` implement these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from server.memory.model import Actor, Draft, Filter, JournalEntry, Known, Match, Memory, Record, Relation, Stats

Vectors = NDArray[np.float32]  # shape (n, dimension); each row has length 1


class EmbeddingError(Exception):
    """The model could not embed. The message is fit for the person; it never holds the text."""

    def __init__(self, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail  # the provider's status code and message, where it gave one


class StoreError(Exception):
    """The database refused or is gone. The message is fit for the person; it holds no values."""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What identifies vectors: those of two different generations are never compared."""

    name: str
    generation: str  # 16 hexadecimal digits: hash of file, prefixes, pooling, normalisation and transform
    dimension: int


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from many threads at once; calls are micro-batched."""

    @property
    def model(self) -> EmbeddingModel: ...

    def embed_query(self, text: str) -> Vectors:
        """One query; shape (1, dimension). Raises EmbeddingError."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text its overlapping windows in order: shape (windows, dimension), at least one. Raises EmbeddingError."""


@dataclass(frozen=True, slots=True)
class LexicalTerms:
    """A text as the lexical leg sees it: how often each hashed term occurs, and the length in terms."""

    counts: Mapping[int, int]
    length: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that one of the two legs found, with what ranking needs."""

    id: int
    cosine: float  # of the best window, -1 to 1
    bm25: float  # 0 where no term matches
    context_match: float  # cosine of query and learned context, 0 where there is none
    salience: float
    session_id: str | None
    created_at: datetime
    last_confirmed_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two live memories, the lower id first, and how well they cover each other."""

    left: int
    right: int
    similarity: float


class Operation(Protocol):
    """One transaction that changes rows and journals each change. Reads in it see its own changes."""

    @property
    def journal_id(self) -> int | None:
        """The id of its journal entry, once it has ended; None where nothing was changed."""

    def find_exact(self, namespace: str, text_key: bytes) -> int | None:
        """The id of the live memory with this normalised text."""

    def get(self, memory_id: int) -> Memory | None:
        """The row, locked against other writers until the operation ends."""

    def lock(self, memory_ids: Sequence[int]) -> None:
        """Keep other writers off these rows until the operation ends. Needed before `get` of more than one."""

    def take_turn(self) -> None:
        """Wait until no other operation that has taken its turn is under way. Needed before `insert` of more than one."""

    def insert(self, draft: Draft, text_key: bytes) -> Memory | None:
        """The new row, or None where a live memory with the same normalised text exists."""

    def restore(self, record: Record, memory_id: int | None, text_key: bytes) -> Memory | None:
        """A row that was exported, with this id or the next one; None where id, UUID or text is taken."""

    def find_known(self, records: Sequence[Record]) -> Sequence[Known | None]:
        """For each record the row that is the same memory. Until the operation ends, no other import of this owner adds one."""

    def update(self, before: Memory, changes: Mapping[str, Any]) -> Memory:
        """Change columns of a row that `get` returned in this operation. `updated_at` becomes now, unless `changes` say another moment.

        With a new text its relations go and it waits for others to be read out of it. Raises InvalidInput where another live
        memory has that text.
        """

    def learn_context(self, memory: Memory, query: Vectors) -> Memory:
        """Move the learned context of a row towards a query's vector."""

    def set_derived(self, memory_id: int, text: str, vectors: Vectors, terms: LexicalTerms) -> None:
        """Make these the live vectors and terms of a memory."""

    def set_terms(self, memory_id: int, terms: LexicalTerms, *, live: bool) -> None:
        """Make these the terms of a memory, in or out of the lexical leg."""

    def set_lexical_live(self, memory_id: int, live: bool) -> None:
        """Take a memory into or out of the lexical leg when it is restored or deleted."""

    def relive_vectors(self, memory: Memory) -> None:
        """Make the waiting vectors of this memory's present text the live ones."""

    def replaced_by(self, memory_id: int) -> list[Memory]:
        """The tombstones that name this memory as their successor, locked."""

    def erase(self, memory: Memory) -> None:
        """Remove a row for good, with its vectors, and blank it in every journal entry."""

    def entry(self, journal_id: int) -> JournalEntry | None:
        """An entry of the past, for undoing it."""

    def revert(self, entry: JournalEntry) -> list[Memory]:
        """Put the rows of an entry back as they were, and return them. Raises Conflict where one has changed since."""


class Store(Protocol):
    """The memories of all owners. Every method may raise StoreError."""

    def operation(self, actor: Actor, tool: str) -> AbstractContextManager[Operation]:
        """The only way to change rows. Commits on leaving, takes everything back on an exception."""

    def find_exact(self, owner_id: int, keys: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], int]:
        """The ids of live memories with these normalised texts: (namespace, text_key)."""

    def get(self, owner_id: int, ids: Sequence[int]) -> list[Memory]:
        """Rows in the order of `ids`, deleted ones too; unknown ones are left out."""

    def listing(self, owner_id: int, wanted: Filter, limit: int, offset: int) -> list[Memory]:
        """Newest first."""

    def count(self, owner_id: int, wanted: Filter) -> int:
        """How many rows a filter means."""

    def stats(self, owner_id: int) -> Stats:
        """Figures of the whole store."""

    def tags(self, owner_id: int, limit: int, *, include_deleted: bool) -> list[tuple[str, int]]:
        """Each tag with the number of memories that carry it, most used first."""

    def everything(self, owner_id: int, *, include_deleted: bool) -> Iterator[Memory]:
        """Every memory, oldest first."""

    def dump(self, owner_id: int) -> AbstractContextManager[tuple[int, Iterator[Memory]]]:
        """The number of all memories and each of them, oldest first, as of one moment; read as they are consumed."""

    def find_known(self, owner_id: int, records: Sequence[Record]) -> Sequence[Known | None]:
        """For each record the row that is the same memory: by UUID, else by text."""

    def free_ids(self, owner_id: int, ids: Sequence[int]) -> set[int]:
        """Those of `ids` that no memory has or ever had."""

    def reserve_ids(self, highest: int) -> None:
        """New memories get higher ids than this one from now on."""

    def text_search(self, owner_id: int, text: str, limit: int) -> list[Memory]:
        """Live memories that hold a piece of text, whatever its case, newest first."""

    def relations(self, owner_id: int, entity: str, max_hops: int, limit: int) -> list[Relation]:
        """Edges that can be reached from an entity, nearest first; those of deleted memories are left out."""

    def similar(self, owner_id: int, texts: Sequence[Vectors], *, floor: float, limit: int, tombstones: bool) -> Sequence[Sequence[Match]]:
        """For each text the memories whose windows and its own cover each other with at least `floor`, best first."""

    def similar_pairs(self, owner_id: int, threshold: float, *, shared_tag: bool) -> Sequence[Pair]:
        """Pairs of live memories that cover each other with at least `threshold`, from the ten nearest of each."""

    def candidates(self, owner_id: int, query: Vectors, terms: LexicalTerms, tags: Sequence[str], limit: int) -> Sequence[Candidate]:
        """What either leg finds among live, unexpired memories: up to `limit` of each leg, with both scores for all."""

    def journal(self, owner_id: int, limit: int, before: int | None) -> Sequence[JournalEntry]:
        """Entries, newest first."""
