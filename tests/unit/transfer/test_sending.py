"""Steps of an import, as the server sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from server.transfer import sending
from server.transfer.formats.base import Entry, FileError
from server.transfer.sending import Sending


class Book:
    """A server that gives each record the next id, beginning with 101, and notes what it was told."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.next = 101

    def take(
        self, records: Sequence[bytes], known: Mapping[int, int], links: Sequence[tuple[int, int]], *, dry_run: bool
    ) -> dict[str, Any]:
        """Record a step; a text `bad` is refused."""
        step = [json.loads(record) for record in records]
        self.steps.append({"texts": [one["text"] for one in step], "known": dict(known), "links": list(links)})
        outcomes: list[dict[str, Any]] = []
        for one in step:
            if one["text"] == "bad":
                outcomes.append({"status": "refused", "reason": "Bad."})
                continue
            outcomes.append({"status": "added", "id": None if dry_run else self.next})
            self.next += 1
        return {"outcomes": outcomes, "unknown_fields": len(step), "journal_id": None if dry_run else len(self.steps)}


def entries(*values: Mapping[str, Any]) -> list[Entry]:
    """Good entries in order."""
    return [Entry(number, one) for number, one in enumerate(values, 1)]


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by size."""
    monkeypatch.setattr(sending, "STEP_RECORDS", 3)
    monkeypatch.setattr(sending, "STEP_BYTES", 40)
    book, heard = Book(), list[int]()
    one = Sending(book, dry_run=False)
    one.send(entries(*({"text": text} for text in ("a", "b", "c", "d", "e" * 50, "f"))), heard.append)
    assert [step["texts"] for step in book.steps] == [["a", "b", "c"], ["d"], ["e" * 50], ["f"]]
    assert heard == [3, 4, 5, 6]
    assert one.tally.counts["added"] == 6
    assert one.tally.entries == [1, 2, 3, 4]
    assert one.tally.unknown_fields == 6


def test_references_follow_across_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backwards they are told with the record, forwards they are set when the successor has come."""
    monkeypatch.setattr(sending, "STEP_RECORDS", 1)
    book = Book()
    one = Sending(book, dry_run=False)
    one.send(
        entries(
            {"id": 1, "text": "a", "replaced_by_id": 3},
            {"id": 2, "text": "b", "replaced_by_id": 1},
            {"id": 3, "text": "c"},
            {"id": 4, "text": "d", "replaced_by_id": 99},
            {"id": 5, "text": "e", "replaced_by_id": 5},
        )
    )
    assert [(step["known"], step["links"]) for step in book.steps] == [({}, []), ({1: 101}, []), ({}, []), ({}, [(101, 103)]), ({}, [])]
    assert one.tally.lost_links == 1


def test_links_that_are_left_at_the_end_get_a_step_of_their_own() -> None:
    """The successor came with the last records."""
    book = Book()
    rest = [{"id": number, "text": f"t{number}"} for number in range(2, sending.STEP_RECORDS + 1)]
    last = {"id": 1000, "text": "successor"}
    Sending(book, dry_run=False).send(entries({"id": 1, "text": "a", "replaced_by_id": 1000}, *rest, last))
    assert [len(step["texts"]) for step in book.steps] == [sending.STEP_RECORDS, 1, 0]
    assert book.steps[2]["links"] == [(101, 101 + sending.STEP_RECORDS)]


def test_what_cannot_be_sent_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its place and the reason, and without its text."""
    monkeypatch.setattr(sending, "MAX_RECORD_BYTES", 50)
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"x": deep}
    book = Book()
    one = Sending(book, dry_run=False)
    given = [
        Entry(1, None, "Not JSON."),
        Entry(2, {"text": "caf\udce9"}),
        Entry(3, {"text": "x" * 60}),
        Entry(4, {"text": "deep", "metadata": deep}),
        Entry(5, {"text": "bad"}),
        Entry(6, {"text": "good"}),
        Entry(7, {"text": "bad"}),
    ]
    one.send(given)
    assert one.tally.skipped == {
        "Not JSON.": [1],
        "It is not valid Unicode; the file must be UTF-8.": [2],
        "The record is too large to be a memory.": [3],
        "The record is nested too deeply.": [4],
        "Bad.": [5, 7],
    }
    assert one.tally.skipped_count == 6
    assert one.tally.counts == {"added": 1}
    while deep:  # else its end would recurse as deeply
        deep = deep["x"]


def test_a_file_that_breaks_off() -> None:
    """What came before is sent."""

    def broken() -> Iterator[Entry]:
        yield from entries({"text": "a"}, {"text": "b"})
        raise FileError("cut off")

    book = Book()
    one = Sending(book, dry_run=False)
    one.send(broken())
    assert book.steps[0]["texts"] == ["a", "b"]
    assert one.tally.broken == "cut off"


def test_a_dry_run_knows_what_it_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repetitions count as being there; tombstones repeat texts, and what was refused was not seen."""
    monkeypatch.setattr(sending, "STEP_RECORDS", 1)
    book = Book()
    one = Sending(book, dry_run=True)
    gone = "2026-01-01T00:00:00Z"
    one.send(
        entries(
            {"text": "Likes tea"},
            {"text": "likes  TEA"},
            {"text": "Likes tea", "namespace": "other"},
            {"text": "Likes tea", "deleted_at": gone, "uuid": "u1"},
            {"text": "Likes tea", "deleted_at": gone, "uuid": "u2"},
            {"text": "Likes jam", "uuid": "u2"},
            {"text": "Likes tea", "deleted_at": gone},
            {"text": "Likes tea", "deleted_at": gone},
            {"text": "bad"},
            {"text": "bad", "namespace": []},
            {"text": 5},
        )
    )
    assert one.tally.counts == {"added": 6, "present": 3}
    assert one.tally.skipped == {"Bad.": [9, 10]}


@pytest.mark.parametrize("given", [None, "1", True, 1.5, [], {}])
def test_ids_that_are_none(given: object) -> None:
    """The server judges them; here they only must not do harm."""
    one = Sending(Book(), dry_run=False)
    one.send(entries({"id": given, "text": "a", "replaced_by_id": given}))
    assert one.tally.lost_links == 0


def test_ids_with_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON knows one kind of number."""
    monkeypatch.setattr(sending, "STEP_RECORDS", 1)
    book = Book()
    Sending(book, dry_run=False).send(entries({"id": 1.0, "text": "a", "replaced_by_id": 2.0}, {"id": 2, "text": "b"}))
    assert [step["links"] for step in book.steps] == [[], [], [(101, 102)]]
