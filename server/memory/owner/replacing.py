"""Find and replace in texts or tags, with a rehearsal that shows what would change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from server.memory.model import Actor, InvalidInput, Memory, Refusal, exact_key
from server.memory.owner.base import STEP_ROWS, Outcome, OwnerDomain, Scope, steps
from server.memory.owner.editing import LOCKED
from server.memory.owner.ports import OwnerOperation
from server.memory.ports import Vectors
from server.memory.tags import check_tags
from server.memory.terms import terms

SAMPLES = 20
EMBED_AT_ONCE = 64  # new texts; with more, the background gives them their vectors


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for and what to put in its place; a regular expression in Python's syntax."""

    find: str
    replace: str
    regex: bool = False
    case: bool = False
    field: Literal["text", "tags"] = "text"

    def change(self) -> Callable[[str], str]:
        """A function that replaces. Raises InvalidInput."""
        flags = re.NOFLAG if self.case else re.IGNORECASE
        try:
            pattern = re.compile(self.find if self.regex else re.escape(self.find), flags)
            if self.regex:
                re.sub(pattern, self.replace, "")  # a template is checked when it is used
                pattern.sub(self.replace, self.find)
        except (re.error, IndexError) as error:
            raise InvalidInput(f"The regular expression cannot be used: {error}.") from None
        if self.regex:
            return lambda text: pattern.sub(self.replace, text)
        return lambda text: pattern.sub(lambda _: self.replace, text)


@dataclass(frozen=True, slots=True)
class Sample:
    """One memory before and after; of tags one to a line."""

    id: int
    before: str
    after: str


@dataclass(slots=True)
class Replaced:
    """How many memories change, and some of them."""

    count: int = 0
    samples: list[Sample] = field(default_factory=list)
    outcome: Outcome | None = None  # None for a rehearsal

    def note(self, memory_id: int, before: str, after: str) -> None:
        """One that changes."""
        self.count += 1
        if len(self.samples) < SAMPLES:
            self.samples.append(Sample(memory_id, before, after))


class Replacing(OwnerDomain):
    """One operation, one step of undo. Memories are skipped that are locked, or would no longer be allowed as they would read."""

    def replace(self, actor: Actor, scope: Scope, wanted: Wanted, *, dry_run: bool) -> Replaced:
        """Replace in all that is meant. Raises InvalidInput, EmbeddingError, StoreError."""
        ids = self.scope_ids(actor.owner_id, scope)
        change = wanted.change()
        result, outcome = Replaced(), Outcome()
        edits = list(self._edits(actor.owner_id, ids, wanted, change, result, outcome))
        result.outcome = None if dry_run else outcome
        if dry_run or not edits:
            return result
        texts = [edit[1]["text"] for edit in edits if "text" in edit[1]]
        vectors = dict(zip(texts, self._embedder.embed_passages(texts), strict=True)) if 0 < len(texts) <= EMBED_AT_ONCE else {}
        versions = {row.id: (row.version, values) for row, values in edits}
        with self._rows.operation(actor, "replace") as operation:
            for rows in steps(operation, sorted(versions)):
                fresh = [(row, versions[row.id][1]) for row in rows if row.version == versions[row.id][0]]
                outcome.skipped += len(rows) - len(fresh)  # changed by somebody else at this very moment
                _write(operation, fresh, vectors)
                outcome.changed += [row.id for row, _ in fresh]
        outcome.journal_id = operation.journal_id
        return result

    def _edits(
        self, owner_id: int, ids: Sequence[int], wanted: Wanted, change: Callable[[str], str], result: Replaced, outcome: Outcome
    ) -> Iterator[tuple[Memory, dict[str, Any]]]:
        """Each memory that changes with its new values."""
        taken: set[tuple[str, bytes]] = set()
        for start in range(0, len(ids), STEP_ROWS):
            for row in self._store.get(owner_id, ids[start : start + STEP_ROWS]):
                try:
                    values = self._values(row, wanted, change, taken)
                except Refusal as refusal:
                    outcome.skip(refusal.message)
                    continue
                if values is None:
                    continue
                if row.keep == "Y":
                    outcome.skip(LOCKED)
                    continue
                if "text" in values:
                    result.note(row.id, row.text, values["text"])
                else:
                    result.note(row.id, "\n".join(row.tags_given), "\n".join(values["tags_given"]))
                yield row, values

    def _values(self, row: Memory, wanted: Wanted, change: Callable[[str], str], taken: set[tuple[str, bytes]]) -> dict[str, Any] | None:
        """The new values of a row, or None where it stays as it is. Raises Refusal."""
        if wanted.field == "tags":
            given = [change(tag) for tag in row.tags_given]
            if given == row.tags_given:
                return None
            normal, given_after = check_tags(given)
            return {"tags": list(normal), "tags_given": list(given_after)}
        changed = change(row.text)
        if changed == row.text:
            return None
        text = self.check_text(changed)
        key = (row.namespace, exact_key(text))
        if key[1] != exact_key(row.text) and row.deleted_at is None:
            if key in taken or self._store.find_exact(row.owner_id, [key]):
                raise InvalidInput("Another memory would say exactly the same.")
            taken.add(key)
        return {"text": text}


def _write(operation: OwnerOperation, edits: Sequence[tuple[Memory, dict[str, Any]]], vectors: dict[str, Vectors]) -> None:
    if edits and "text" not in edits[0][1]:
        operation.update_all(edits)
        return
    for row, values in edits:
        after = operation.update(row, values)
        if after.text in vectors:
            operation.set_derived(after.id, after.text, vectors[after.text], terms(after.text))
            if after.deleted_at is None:
                continue
        else:
            operation.relive_vectors(after)
        operation.set_terms(after.id, terms(after.text), live=after.deleted_at is None)
