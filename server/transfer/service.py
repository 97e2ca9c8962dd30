"""The server's half of import and export, for the owner's programs."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from server.memory.importing import Outcome, Status
from server.memory.memories import Memories
from server.memory.model import Actor, Record, Refusal
from server.toolsets.parameters import ItemsOf, Parameters, parse
from server.transfer.formats.registry import WRITERS
from server.transfer.records import FileId, RecordFields, check_record, unknown_fields
from server.transfer.sending import STEP_RECORDS

WRITE_BYTES = 1 << 16

Pair = Annotated[list[FileId], Field(min_length=2, max_length=2)]


class Step(Parameters):
    """One step of an import; see server.memory.importing."""

    records: Annotated[list[object], Field(max_length=STEP_RECORDS), ItemsOf(RecordFields)] = Field(default_factory=list)
    known: list[Pair] = Field(default_factory=list)
    links: list[Pair] = Field(default_factory=list)
    dry_run: bool = False


class Told(TypedDict, total=False):
    """What became of one record; `id` is null where a dry run cannot know it."""

    status: Status | Literal["refused"]
    id: int | None
    reason: str


@dataclass(slots=True)
class _Checked:
    """The records of a step: good ones, and why the others are refused, by their index."""

    good: dict[int, Record] = field(default_factory=dict)
    refused: dict[int, Refusal] = field(default_factory=dict)


class OwnerTransfer:
    """Implements server.web.transfer_api.Transfer for one owner. Safe to share between threads."""

    def __init__(self, memories: Memories, owner_id: int) -> None:
        self._memories = memories
        self._owner_id = owner_id

    def export(self, form: str) -> Generator[bytes]:
        """The file, piece by piece, as of one moment. Raises KeyError for an unknown format, StoreError."""
        write = WRITERS[form]
        with self._memories.dump(self._owner_id) as (count, rows):
            piece = bytearray()
            for line in write(count, rows):
                piece += line.encode()
                if len(piece) >= WRITE_BYTES:
                    yield bytes(piece)
                    piece.clear()
            yield bytes(piece)

    def take(self, body: object) -> Mapping[str, Any]:
        """One step of an import; the outcome of each record in order. Raises Refusal for a step that is malformed as a whole,
        EmbeddingError, StoreError."""
        step = parse(Step, body)
        checked = self._check(step.records)
        done = self._memories.import_records(
            Actor(self._owner_id, "person", "owner"),
            list(checked.good.values()),
            {pair[0]: pair[1] for pair in step.known},
            [(pair[0], pair[1]) for pair in step.links],
            dry_run=step.dry_run,
        )
        told: dict[int, Told] = {number: {"status": "refused", "reason": str(why)} for number, why in checked.refused.items()}
        told |= {number: _told(outcome) for number, outcome in zip(checked.good, done.outcomes, strict=True)}
        return {
            "outcomes": [told[number] for number in sorted(told)],
            "unknown_fields": sum(unknown_fields(one) for one in step.records if isinstance(one, Mapping)),
            "journal_id": done.journal_id,
        }

    def _check(self, records: list[object]) -> _Checked:
        checked = _Checked()
        for number, raw in enumerate(records):
            try:
                checked.good[number] = check_record(self._memories, raw)
            except Refusal as refusal:
                checked.refused[number] = refusal
        return checked


def _told(outcome: Outcome) -> Told:
    return {"status": outcome.status, "id": outcome.memory_id}
