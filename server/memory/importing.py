"""Importing: memories that come back from a file, with their ids, times, tombstones and what was learned about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from server.memory.domain import CONFIRMED_AHEAD, Domain
from server.memory.model import Actor, Conflict, InvalidInput, Known, Record, exact_key
from server.memory.ports import Operation, Vectors
from server.memory.tags import check_tags, normalize_tags
from server.memory.terms import terms

TOOL = "import"
# The sequence has to move beyond every id that is kept, and must never run out; longer ids are nobody's joy either.
HIGHEST_KEPT = 2**40

Status = Literal["added", "present", "forgotten"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a record: stored, or there already, which may be as a memory that was forgotten since.

    `memory_id` is None where a dry run cannot know it.
    """

    status: Status
    memory_id: int | None


@dataclass(slots=True)
class Imported:
    """What one step of an import did."""

    outcomes: list[Outcome] = field(default_factory=list)
    journal_id: int | None = None  # None: nothing was changed


class Importing(Domain):
    """Reading memories back in, a limited number in each step."""

    def record(self, text: str, tags: Sequence[str], tags_given: Sequence[str] | None = None, **fields: Any) -> Record:
        """A checked record. Raises InvalidInput or SecretRejected."""
        now = self._now()
        created = fields.setdefault("created_at", None) or now
        fields["created_at"] = created
        fields["updated_at"] = fields.get("updated_at") or created
        fields.setdefault("last_confirmed_at", created)
        if fields.get("salience") is None:
            fields["salience"] = fields.get("importance", 0.5)
        for name in ("created_at", "updated_at", "last_used_at", "deleted_at"):
            moment = fields.get(name)
            if moment is not None and moment > now + CONFIRMED_AHEAD:
                raise InvalidInput(f"{name} must not be in the future.")
        self.check_times(fields.get("expires_at"), fields["last_confirmed_at"])
        deleted = fields.get("deleted_at") is not None
        fields["deleted_by"] = (fields.get("deleted_by") or "person") if deleted else None
        normal, given = check_tags(_tags_as_written(tags, tags_given))
        return Record(text=self.check_text(text), tags=normal, tags_given=given, **fields)

    def import_records(
        self,
        actor: Actor,
        records: Sequence[Record],
        known: Mapping[int, int],
        links: Sequence[tuple[int, int]] = (),
        *,
        dry_run: bool = False,
    ) -> Imported:
        """Store what is not there yet, in one operation, with one call of the model.

        `known` tells which memory an id of the file has become in an earlier step. `links` are tombstones of earlier steps and
        their successors, as ids of this store. Raises EmbeddingError, StoreError.
        """
        found = self._store.find_known(actor.owner_id, records)
        if dry_run:
            return Imported(_foresee(records, found))
        vectors = self._embed_fresh(records, found)
        kept = self._kept_ids(actor.owner_id, [records[number] for number in vectors])
        with self._store.operation(actor, TOOL) as operation:
            # Another import may have brought some of them meanwhile.
            found = [now or before for now, before in zip(operation.find_known(records), found, strict=True)]
            seen: dict[object, int | None] = {}
            outcomes = []
            for number, (record, same) in enumerate(zip(records, found, strict=True)):
                outcome = _decided(record, same, seen) or self._restore(operation, record, kept, vectors[number])
                seen |= dict.fromkeys(_identities(record), outcome.memory_id)
                outcomes.append(outcome)
            _link(operation, [*links, *_resolve(records, outcomes, known)])
        return Imported(outcomes, operation.journal_id)

    def _embed_fresh(self, records: Sequence[Record], found: Sequence[Known | None]) -> dict[int, Vectors]:
        """The windows of each record that is new."""
        fresh = [number for number, known in enumerate(found) if known is None]
        if not fresh:
            return {}
        return dict(zip(fresh, self._embedder.embed_passages([records[number].text for number in fresh]), strict=True))

    def _kept_ids(self, owner_id: int, records: Sequence[Record]) -> set[int]:
        """The ids of the file that its memories can have here too."""
        wanted = [record.id for record in records if record.id is not None and record.id <= HIGHEST_KEPT]
        if not wanted:
            return set()
        self._store.reserve_ids(max(wanted))
        return self._store.free_ids(owner_id, wanted)

    @staticmethod
    def _restore(operation: Operation, record: Record, kept: set[int], vectors: Vectors) -> Outcome:
        key = exact_key(record.text)
        memory_id = record.id if record.id in kept else None
        made = operation.restore(record, memory_id, key)
        if made is None:  # an earlier record or another writer was faster
            (same,) = operation.find_known([record])
            if same is not None:
                return _present(record, same)
            made = operation.restore(record, None, key)
        if made is None:
            raise Conflict("Another program stores the same memories at this very moment. Try again.")
        operation.set_derived(made.id, made.text, vectors, terms(made.text))
        if made.deleted_at is not None:
            operation.set_lexical_live(made.id, live=False)
        return Outcome("added", made.id)


def _tags_as_written(tags: Sequence[str], given: Sequence[str] | None) -> Sequence[str]:
    """The form as given, unless somebody has edited the compared form alone."""
    return given if given is not None and normalize_tags(given) in (tuple(tags), normalize_tags(tags)) else tags


def _present(record: Record, known: Known) -> Outcome:
    return Outcome("forgotten" if known.deleted and record.deleted_at is None else "present", known.id)


def _decided(record: Record, same: Known | None, seen: Mapping[object, int | None]) -> Outcome | None:
    """What becomes of a record that is in the store already, or came before in the same step; None for a new one."""
    if same is not None:
        return _present(record, same)
    return next((Outcome("present", seen[mark]) for mark in _identities(record) if mark in seen), None)


def _foresee(records: Sequence[Record], found: Sequence[Known | None]) -> list[Outcome]:
    """What would become of records."""
    seen: dict[object, int | None] = {}
    outcomes = []
    for record, same in zip(records, found, strict=True):
        outcomes.append(_decided(record, same, seen) or Outcome("added", None))
        seen |= dict.fromkeys(_identities(record))
    return outcomes


def _identities(record: Record) -> set[object]:
    """What a second record would share with this one if it were the same memory."""
    text = (record.namespace, exact_key(record.text), record.deleted_at)
    marks: set[object] = {text} if record.deleted_at is None or record.uuid is None else set()
    return marks | ({record.uuid} if record.uuid is not None else set())


def _resolve(records: Sequence[Record], outcomes: Sequence[Outcome], known: Mapping[int, int]) -> list[tuple[int, int]]:
    """Tombstones of this step and their successors, as ids of the store, where the successor is known."""
    here: dict[int | None, int | None] = {}
    for record, one in zip(records, outcomes, strict=True):
        here.setdefault(record.id, one.memory_id)
    pairs = []
    for record, one in zip(records, outcomes, strict=True):
        successor = None if record.replaced_by_id is None else here.get(record.replaced_by_id, known.get(record.replaced_by_id))
        if one.memory_id is not None and successor is not None:
            pairs.append((one.memory_id, successor))
    return pairs


def _link(operation: Operation, pairs: Sequence[tuple[int, int]]) -> None:
    """Name the successors of tombstones that have none. A memory cannot replace itself."""
    for memory_id, successor in pairs:
        memory = operation.get(memory_id)
        if memory is None or memory.replaced_by_id is not None or memory.deleted_at is None or memory_id == successor:
            continue
        if operation.get(successor) is not None:
            operation.update(memory, {"replaced_by_id": successor, "updated_at": memory.updated_at})
