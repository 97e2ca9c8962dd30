"""Records into a real store: matching, ids, references, undo, and the whole way round."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from server.memory.importing import HIGHEST_KEPT
from server.memory.memories import Memories
from server.memory.model import Actor, Filter, InvalidInput, Memory
from server.memory.ports import EmbeddingError
from server.store.database import Database
from server.toolsets.memories.rows import full_row
from server.transfer.formats.registry import recognise
from server.transfer.sending import Sending, Tally
from server.transfer.service import OwnerTransfer
from tests.support import WordEmbedder, draft

ALL = Filter(include_deleted=True)
Call = Callable[..., dict[str, Any]]


class Direct:
    """The service without HTTP between."""

    def __init__(self, transfer: OwnerTransfer) -> None:
        self._transfer = transfer

    def take(self, records: Any, known: Any, links: Any, *, dry_run: bool) -> dict[str, Any]:
        """One step."""
        body = {"records": [json.loads(one) for one in records], "known": list(known.items()), "links": links, "dry_run": dry_run}
        return dict(self._transfer.take(json.loads(json.dumps(body))))


@pytest.fixture
def transfer(memories: Memories, owner: int) -> OwnerTransfer:
    """The service over the real store."""
    return OwnerTransfer(memories, owner)


def export(transfer: OwnerTransfer) -> bytes:
    """The whole file."""
    return b"".join(transfer.export("ownsona"))


def load(transfer: OwnerTransfer, content: bytes | str | list[Any], *, dry_run: bool = False) -> Tally:
    """Import a file, or a list of records."""
    if isinstance(content, list):
        content = json.dumps(content)
    form, text = recognise(io.BytesIO(content.encode() if isinstance(content, str) else content))
    sending = Sending(Direct(transfer), dry_run=dry_run)
    sending.send(form.read(text))
    assert sending.tally.broken == ""
    return sending.tally


def rows(memories: Memories, owner: int) -> list[Memory]:
    """Everything, newest first."""
    return memories.listing(owner, ALL, 50, 0)


def only(memories: Memories, owner: int) -> Memory:
    """The one memory that there is."""
    (row,) = rows(memories, owner)
    return row


def wipe(database: Database, owner: int) -> None:
    """As if in a new home."""
    with database.transaction() as connection:
        for table in ("memories", "journal", "lexical_counts", "lexical_terms"):
            connection.execute(f"DELETE FROM {table} WHERE owner_id = %s", [owner])


def fill(memories: Memories, client: Actor, person: Actor) -> None:
    """Memories in every state that the tools can leave behind."""
    first = memories.remember(client, draft("Anna likes tea", ["Food", "my Tag"], session_id="s", capture_mode="explicit")).memory_id
    second = memories.remember(
        client, draft('Bob says "日本" \\ \u2028 🙂', importance=0.9, source_provider="x", source_client="y")
    ).memory_id
    memories.reinforce(client, [second], 0.7, None)
    memories.confirm(client, first)
    third = memories.remember(client, draft("Carl moved", expires_at=datetime(2020, 1, 1, tzinfo=UTC))).memory_id
    fourth = memories.remember(client, draft("Carl lives in Rome", namespace="other")).memory_id
    memories.forget(client, third, reason="he moved", replaced_by_id=fourth)  # a reference forwards
    fifth = memories.remember(client, draft("Carl moved")).memory_id
    memories.forget(person, fifth, reason="again", replaced_by_id=third)  # and one backwards
    sixth = memories.remember(client, draft("Dora", tags=[])).memory_id
    memories.forget(client, sixth, replaced_by_id=fifth)
    memories.forget(client, fifth, replaced_by_id=sixth)  # a circle


def test_the_whole_way_round(transfer: OwnerTransfer, memories: Memories, client: Actor, person: Actor, database: Database) -> None:
    """Export, wipe, import, export: the same file to the byte; a second import adds nothing."""
    fill(memories, client, person)
    before = export(transfer)
    found = memories.recall(client.owner_id, "Anna tea", 5)
    wipe(database, client.owner_id)
    tally = load(transfer, before)
    assert tally.counts == {"added": 6}
    assert tally.unknown_fields == tally.lost_links == tally.skipped_count == 0
    assert export(transfer) == before
    again = memories.recall(client.owner_id, "Anna tea", 5)
    assert [(one.memory.id, one.score) for one in again] == [(one.memory.id, one.score) for one in found]
    assert load(transfer, before).counts == {"present": 6}
    assert export(transfer) == before
    assert len(memories.journal(client.owner_id, 10)) == 1


def test_the_file_and_the_tool_say_the_same(transfer: OwnerTransfer, memories: Memories, client: Actor, person: Actor, call: Call) -> None:
    """One shape for both, which `get_memory` has too."""
    fill(memories, client, person)
    content = export(transfer)
    assert json.loads(content) == call("export_memories")
    assert len(content.splitlines()) == 8  # one memory a line
    one = json.loads(content)["memories"][0]
    assert call("get_memory", id=one["id"])["memory"] == one
    assert list(one) == list(full_row(memories.get(client.owner_id, one["id"])))


def test_an_empty_store(transfer: OwnerTransfer) -> None:
    """A valid file all the same."""
    assert json.loads(export(transfer)) == {"ok": True, "count": 0, "memories": []}
    assert load(transfer, export(transfer)).counts == {}


def test_exports_that_are_given_up(
    transfer: OwnerTransfer, memories: Memories, client: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They let the database go: more of them than there are connections."""
    monkeypatch.setattr("server.transfer.service.WRITE_BYTES", 1)
    fill(memories, client, person)
    for _ in range(12):
        pieces = transfer.export("ownsona")
        next(pieces)
        next(pieces)
        pieces.close()
    assert json.loads(export(transfer))["count"] == 6


def test_learned_context_restarts(transfer: OwnerTransfer, memories: Memories, client: Actor, database: Database) -> None:
    """Its vector is not in the file."""
    memories.reinforce(client, [memories.remember(client, draft("Anna likes tea")).memory_id], 1.0, "what does Anna drink")
    content = export(transfer)
    assert json.loads(content)["memories"][0]["context_count"] == 1
    wipe(database, client.owner_id)
    load(transfer, content)
    assert only(memories, client.owner_id).context_count == 0
    assert export(transfer) == content.replace(b'"context_count": 1', b'"context_count": 0')


def test_a_taken_id_is_given_anew_and_references_follow(transfer: OwnerTransfer, memories: Memories, client: Actor) -> None:
    """By UUID it is the same memory, by text too, else it gets another id."""
    same = memories.remember(client, draft("same by uuid")).memory_id
    text = memories.remember(client, draft("Same by TEXT")).memory_id
    other = memories.remember(client, draft("in the way")).memory_id
    uuid = str(memories.get(client.owner_id, same).uuid)
    gone = "2026-01-01T00:00:00Z"
    load(
        transfer,
        [
            {"id": 900_000_001, "uuid": uuid, "text": "edited since"},
            {"id": 900_000_002, "text": "same  by text"},
            {"id": other, "text": "new"},
            {"id": 900_000_003, "text": "t1", "deleted_at": gone, "replaced_by_id": 900_000_001},
            {"id": 900_000_004, "text": "t2", "deleted_at": gone, "replaced_by_id": 900_000_002},
            {"id": 900_000_005, "text": "t3", "deleted_at": gone, "replaced_by_id": other},
            {"id": 900_000_006, "text": "t4", "deleted_at": gone, "replaced_by_id": 5},
            {"id": 900_000_007, "text": "t5", "deleted_at": gone, "replaced_by_id": 900_000_007},
        ],
    )
    by_text = {row.text: row for row in rows(memories, client.owner_id)}
    assert by_text["same by uuid"].id == same
    new = by_text["new"].id
    assert new not in (other, same, text)
    assert by_text["in the way"].id == other
    assert [by_text[name].replaced_by_id for name in ("t1", "t2", "t3", "t4", "t5")] == [same, text, new, None, None]
    assert by_text["t1"].id == 900_000_003
    assert by_text["t1"].deleted_by == "person"


def test_ids_go_on_behind_imported_ones(transfer: OwnerTransfer, memories: Memories, client: Actor) -> None:
    """And the sequence cannot be used up by a file."""
    load(transfer, [{"id": 910_000_000, "text": "a"}, {"id": 2**62, "text": "b"}, {"id": HIGHEST_KEPT + 1, "text": "c"}])
    ids = {row.text: row.id for row in rows(memories, client.owner_id)}
    assert ids["a"] == 910_000_000
    assert 910_000_000 < ids["b"] < 911_000_000
    assert 910_000_000 < ids["c"] < 911_000_000
    assert memories.remember(client, draft("d")).memory_id > max(ids.values())


def test_ids_of_what_was_deleted_for_good_are_not_used_again(transfer: OwnerTransfer, memories: Memories, client: Actor) -> None:
    """The journal still speaks of them."""
    first = memories.remember(client, draft("one thing")).memory_id
    content = export(transfer)
    memories.forget(client, first, hard=True)
    assert load(transfer, content).counts == {"added": 1}
    assert only(memories, client.owner_id).id > first


def test_the_same_memory_twice_in_one_file(transfer: OwnerTransfer, memories: Memories, owner: int) -> None:
    """Texts count once, UUIDs count once; two tombstones of one text are two."""
    uuid, gone, later = str(uuid4()), "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    records = [
        {"text": "a"},
        "A",
        {"text": "b", "uuid": uuid},
        {"text": "c", "uuid": uuid},
        {"text": "a", "deleted_at": gone},
        {"text": "a", "deleted_at": gone},
        {"text": "a", "deleted_at": later},
        {"id": 920_000_000, "text": "d"},
        {"id": 920_000_000, "text": "e"},
        {"text": "f", "deleted_at": gone, "replaced_by_id": 920_000_000},
    ]
    expected = {"added": 7, "present": 3}
    assert load(transfer, records, dry_run=True).counts == expected
    assert rows(memories, owner) == []
    assert load(transfer, records).counts == expected
    ids = {row.text: row.id for row in rows(memories, owner)}
    assert ids["d"] == 920_000_000
    assert ids["e"] > ids["d"]
    assert next(row for row in rows(memories, owner) if row.text == "f").replaced_by_id == ids["d"]
    assert load(transfer, records).counts == {"present": 10}


def test_what_was_forgotten_since_stays_so(transfer: OwnerTransfer, memories: Memories, client: Actor) -> None:
    """And is told."""
    memory_id = memories.remember(client, draft("Anna likes tea")).memory_id
    content = export(transfer)
    memories.forget(client, memory_id)
    assert load(transfer, content).counts == {"forgotten": 1}
    assert only(memories, client.owner_id).deleted_at is not None


def test_undo_takes_the_rows_back_and_redo_brings_them(transfer: OwnerTransfer, memories: Memories, person: Actor) -> None:
    """An import is an operation of the person."""
    owner = person.owner_id
    gone = "2026-01-01T00:00:00Z"
    load(
        transfer,
        [
            {"id": 930_000_000, "text": "Anna likes tea"},
            {"text": "no", "deleted_at": gone, "forget_reason": "x", "replaced_by_id": 930_000_000},
        ],
    )
    after = rows(memories, owner)
    (entry,) = memories.journal(owner, 10)
    assert (entry.actor_kind, entry.tool, len(entry.rows)) == ("person", "import", 2)
    memories.undo(person, entry.id)
    assert all(row.deleted_at is not None for row in rows(memories, owner))
    assert memories.recall(owner, "Anna tea", 5) == []
    memories.undo(person, memories.journal(owner, 1)[0].id)
    assert rows(memories, owner) == after
    assert [match.memory.text for match in memories.recall(owner, "Anna tea", 5)] == ["Anna likes tea"]


def test_many_steps(transfer: OwnerTransfer, memories: Memories, person: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """References across steps; undone one by one, newest first."""
    monkeypatch.setattr("server.transfer.sending.STEP_RECORDS", 2)
    gone = "2026-01-01T00:00:00Z"
    base = 940_000_000
    records = [
        {
            "id": base + n,
            "text": f"fact {n}",
            "deleted_at": gone,
            "replaced_by_id": base + (n + 3) % 7,
            "created_at": f"2025-01-0{n + 1}T00:00:00Z",
        }
        for n in range(7)
    ]
    tally = load(transfer, records)
    made = {row.id - base: (row.replaced_by_id or 0) - base for row in rows(memories, person.owner_id)}
    assert made == {n: (n + 3) % 7 for n in range(7)}
    assert all(row.updated_at == row.created_at for row in rows(memories, person.owner_id))
    for entry in reversed(tally.entries):
        memories.undo(person, entry)
    assert {row.forget_reason for row in rows(memories, person.owner_id)} == {"Undone"}


def test_an_import_that_was_cut_short_is_completed(transfer: OwnerTransfer, memories: Memories, owner: int) -> None:
    """References that could not be set are set by the next one."""
    gone = "2026-01-01T00:00:00Z"
    records = [{"id": 950_000_001, "text": "old", "deleted_at": gone, "replaced_by_id": 950_000_002}, {"id": 950_000_002, "text": "new"}]
    assert load(transfer, records[:1]).lost_links == 1
    assert only(memories, owner).replaced_by_id is None
    assert load(transfer, records).counts == {"present": 1, "added": 1}
    assert {row.text: row.replaced_by_id for row in rows(memories, owner)} == {"old": 950_000_002, "new": None}


NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({}, "text"),
        ({"text": None}, "text"),
        ({"text": 5}, "text"),
        ({"text": "  "}, "text"),
        ({"text": "x" * 16_001}, "16000"),
        ({"text": "a\0b"}, "NUL"),
        ({"text": "a", "metadata": {"x": ["a\0b"]}}, "metadata.x[0]"),
        ({"text": "key AKIAABCDEFGHIJKLMNOP"}, "AWS access key"),
        ({"text": "a", "id": 0}, "id"),
        ({"text": "a", "id": -1}, "id"),
        ({"text": "a", "id": 1.5}, "id"),
        ({"text": "a", "id": "1"}, "id"),
        ({"text": "a", "id": True}, "id"),
        ({"text": "a", "id": 2**63}, "id"),
        ({"text": "a", "uuid": "x"}, "uuid"),
        ({"text": "a", "uuid": 1}, "uuid"),
        ({"text": "a", "keep": "y"}, "keep"),
        ({"text": "a", "salience": 3.1}, "salience"),
        ({"text": "a", "salience": -0.1}, "salience"),
        ({"text": "a", "importance": 1.1}, "importance"),
        ({"text": "a", "importance": "high"}, "importance"),
        ({"text": "a", "use_count": -1}, "use_count"),
        ({"text": "a", "use_count": 2**31}, "use_count"),
        ({"text": "a", "tags": "family"}, "tags"),
        ({"text": "a", "tags": [1]}, "tags"),
        ({"text": "a", "tags": [f"t{n}" for n in range(17)]}, "tags"),
        ({"text": "a", "tags": ["x" * 65]}, "tags"),
        ({"text": "a", "created_at": "2026-01-01"}, "created_at"),
        ({"text": "a", "created_at": 1692633600.0}, "created_at"),
        ({"text": "a", "created_at": (NOW + timedelta(days=1)).isoformat()}, "created_at"),
        ({"text": "a", "deleted_at": (NOW + timedelta(days=1)).isoformat()}, "deleted_at"),
        ({"text": "a", "last_confirmed_at": (NOW + timedelta(days=1)).isoformat()}, "last_confirmed_at"),
        ({"text": "a", "expires_at": "2200-01-01T00:00:00Z"}, "expires_at"),
        ({"text": "a", "session_id": "s" * 257}, "session_id"),
        ({"text": "a", "forget_reason": "s" * 1025}, "forget_reason"),
        ({"text": "a", "capture_mode": "guessed"}, "capture_mode"),
        ({"text": "a", "namespace": ""}, "namespace"),
        ({"text": "a", "metadata": []}, "metadata"),
        ({"text": "a", "deleted_by": "me"}, "deleted_by"),
        ({"text": "a", "replaced_by_id": "1"}, "replaced_by_id"),
        ([], "object"),
        (5, "object"),
    ],
)
def test_bad_records_are_skipped(transfer: OwnerTransfer, memories: Memories, owner: int, record: object, named: str) -> None:
    """With the field's name and without its value; the next one is taken."""
    tally = load(transfer, [record, "good"])
    assert tally.counts == {"added": 1}
    ((why, places),) = tally.skipped.items()
    assert places == [1]
    assert named in why
    assert "AKIA" not in why
    assert only(memories, owner).text == "good"


def test_numbers_that_no_database_holds(transfer: OwnerTransfer) -> None:
    """JSON can write them."""
    tally = load(
        transfer, '[{"text": "a", "metadata": {"x": [1e999]}}, {"text": "b", "reward_sum": 1e999}, {"text": "c", "metadata": {"n": 1e300}}]'
    )
    assert tally.skipped_count == 2
    assert tally.counts == {"added": 1}


def test_what_is_left_out_is_as_for_a_new_memory(transfer: OwnerTransfer, memories: Memories, owner: int) -> None:
    """Times follow `created_at`; salience follows importance."""
    load(transfer, [{"text": " a ", "tags": ["My Job", "job"], "importance": 1, "created_at": "2025-01-01T02:00:00+02:00", "id": None}])
    row = only(memories, owner)
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    assert (row.text, row.tags, row.tags_given) == ("a", ["my-job", "work"], ["My Job", "job"])
    assert (row.created_at, row.updated_at, row.last_confirmed_at) == (moment, moment, moment)
    assert (row.importance, row.salience, row.keep, row.namespace, row.deleted_by) == (1.0, 1.0, "U", "default", None)


def test_tags_that_somebody_edited(transfer: OwnerTransfer, memories: Memories, owner: int) -> None:
    """Who changes the tags in the file need not know of their other form."""
    load(transfer, [{"text": "a", "tags": ["new"], "tags_given": ["Old"]}])
    assert (only(memories, owner).tags, only(memories, owner).tags_given) == (["new"], ["new"])


def test_never_confirmed_stays_never(transfer: OwnerTransfer, memories: Memories, owner: int) -> None:
    """Null says so."""
    load(transfer, [{"text": "a", "last_confirmed_at": None}])
    assert only(memories, owner).last_confirmed_at is None


def test_unknown_fields_are_counted(transfer: OwnerTransfer) -> None:
    """And left out."""
    tally = load(transfer, [{"text": "a", "score": 0.5, "context_count": 3, "colour": "red", "mood": None}, {"text": "b", "x": 1}])
    assert tally.counts == {"added": 2}
    assert tally.unknown_fields == 3


def test_without_the_model_nothing_is_stored(transfer: OwnerTransfer, memories: Memories, owner: int, embedder: WordEmbedder) -> None:
    """Rows come with their vectors or not at all; a dry run needs no model."""
    embedder.fails = EmbeddingError("The model is down.")
    assert load(transfer, ["a"], dry_run=True).counts == {"added": 1}
    with pytest.raises(EmbeddingError):
        load(transfer, ["a"])
    assert rows(memories, owner) == []


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"records": 1},
        {"records": [], "x": 1},
        {"records": ["a"] * 257},
        {"known": [[1]]},
        {"links": [[1, "2"]]},
        {"known": [[0, 1]]},
    ],
)
def test_malformed_steps(transfer: OwnerTransfer, body: object) -> None:
    """Refused as a whole."""
    with pytest.raises(InvalidInput):
        transfer.take(body)


def test_links_to_nothing(transfer: OwnerTransfer, memories: Memories, client: Actor) -> None:
    """Unknown ids, live memories, and tombstones that name a successor already are left alone."""
    live = memories.remember(client, draft("live")).memory_id
    gone = memories.remember(client, draft("gone")).memory_id
    memories.forget(client, gone, replaced_by_id=live)
    done = transfer.take({"links": [[live, gone], [gone, gone], [2**60, live], [gone, 2**60]]})
    assert done["journal_id"] is None


def test_imports_beside_writers(transfer: OwnerTransfer, memories: Memories, client: Actor, database: Database) -> None:
    """Two imports of one file while somebody remembers: each memory once, every id once, no error."""
    with database.transaction() as connection:
        row = connection.execute("SELECT last_value FROM memories_id_seq").fetchone()
    first = (row["last_value"] if row else 0) + 1
    gone = "2026-01-01T00:00:00Z"
    records = [{"id": first + n, "text": f"fact {n}", **({"deleted_at": gone} if n % 2 else {"uuid": str(uuid4())})} for n in range(40)]
    errors: list[BaseException] = []
    ready = threading.Barrier(4)

    def run(work: Callable[[], object]) -> None:
        ready.wait(30)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the boundary of a thread: the test looks at it
            errors.append(error)

    def remember(part: int) -> None:
        for number in range(20):
            memories.remember(client, draft(f"said {part} {number}"), "insert")

    works: list[Callable[[], object]] = [lambda: load(transfer, records)] * 2 + [lambda: remember(1), lambda: remember(2)]
    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert memories.stats(client.owner_id).active == 60
    assert memories.stats(client.owner_id).total == 80
