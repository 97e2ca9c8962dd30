"""Operations and the journal: one transaction, versions, undo, redo, and what cannot be undone."""

from __future__ import annotations

import threading

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor, Conflict, Filter, Memory, NotFound, exact_key
from server.memory.ports import StoreError
from server.store.database import Database
from server.store.store import PostgresStore
from tests.support import draft

ALL = Filter(include_deleted=True)


def snapshot(memories: Memories, owner: int) -> list[Memory]:
    return memories.listing(owner, ALL, 50, 0)


def last_entry(memories: Memories, owner: int) -> int:
    return memories.journal(owner, 1)[0].id


def test_a_write_and_its_journal_row_come_together(memories: Memories, client: Actor) -> None:
    memory_id = memories.remember(client, draft("Anna likes tea", ["Food"])).memory_id
    (entry,) = memories.journal(client.owner_id, 10)
    assert (entry.actor_kind, entry.actor, entry.tool) == ("client", "test client", "remember")
    (row,) = entry.rows
    assert (row.table, row.row_id, row.version_before, row.before) == ("memories", memory_id, None, None)
    assert row.after is not None
    assert row.after["text"] == "Anna likes tea"
    assert row.version_after == memories.get(client.owner_id, memory_id).version


def test_an_exception_takes_everything_back(store: PostgresStore, client: Actor) -> None:
    def fail() -> None:
        with store.operation(client, "test") as operation:
            assert operation.insert(draft("Anna likes tea"), exact_key("Anna likes tea"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.count(client.owner_id, ALL) == 0
    assert store.journal(client.owner_id, 10, None) == []


def test_an_operation_that_changes_nothing_writes_no_entry(memories: Memories, client: Actor) -> None:
    memories.remember(client, draft("Anna likes tea"))
    memories.remember(client, draft("anna  likes TEA"))
    assert len(memories.journal(client.owner_id, 10)) == 1


def test_undo_all_then_redo_all(memories: Memories, client: Actor, person: Actor) -> None:
    owner = client.owner_id
    first = memories.remember(client, draft("Anna likes tea", ["food"])).memory_id
    states = [snapshot(memories, owner)]
    memories.update(client, first, {"text": "Anna likes coffee", "tags": ["drinks"]})
    states.append(snapshot(memories, owner))
    memories.update(client, first, {"importance": 0.9})
    states.append(snapshot(memories, owner))
    memories.forget(client, first, reason="She drinks water")
    states.append(snapshot(memories, owner))

    entries = [entry.id for entry in memories.journal(owner, 10)][:3]  # newest first
    undone = []
    for entry, expected in zip(entries, reversed(states[:-1]), strict=True):
        assert memories.undo(person, entry) == [first]
        assert snapshot(memories, owner) == expected
        undone.append(last_entry(memories, owner))
    for entry, expected in zip(reversed(undone), states[1:], strict=True):
        assert memories.undo(person, entry) == [first]
        assert snapshot(memories, owner) == expected


def test_undo_of_remember_leaves_a_tombstone_and_redo_brings_it_back(memories: Memories, client: Actor, person: Actor) -> None:
    memory_id = memories.remember(client, draft("Anna likes tea")).memory_id
    memories.undo(person, last_entry(memories, client.owner_id))
    gone = memories.get(client.owner_id, memory_id)
    assert (gone.deleted_by, gone.forget_reason) == ("person", "Undone")
    assert memories.recall(client.owner_id, "Anna tea", 5) == []
    memories.undo(person, last_entry(memories, client.owner_id))
    assert [match.memory.id for match in memories.recall(client.owner_id, "Anna tea", 5)] == [memory_id]


def test_undo_of_a_text_makes_the_old_text_found_again_without_the_model(
    memories: Memories, client: Actor, person: Actor, embedder: object
) -> None:
    memory_id = memories.remember(client, draft("Anna likes tea")).memory_id
    memories.update(client, memory_id, {"text": "Bob drives trucks"})
    calls = getattr(embedder, "calls", 0)
    memories.undo(person, last_entry(memories, client.owner_id))
    assert getattr(embedder, "calls", 0) == calls
    (match,) = memories.recall(client.owner_id, "Anna likes tea", 5)
    assert match.score == pytest.approx(1, abs=0.001)


def test_undo_names_the_entry_in_the_way(memories: Memories, client: Actor, person: Actor) -> None:
    memory_id = memories.remember(client, draft("Anna likes tea")).memory_id
    memories.update(client, memory_id, {"importance": 0.9})
    early = last_entry(memories, client.owner_id)
    memories.update(client, memory_id, {"importance": 0.1})
    late = last_entry(memories, client.owner_id)
    with pytest.raises(Conflict, match=rf"entry {late} \(update_memory by test client\) is in the way"):
        memories.undo(person, early)
    assert memories.get(client.owner_id, memory_id).importance == 0.1


def test_undo_twice_is_refused(memories: Memories, client: Actor, person: Actor) -> None:
    memory_id = memories.remember(client, draft("Anna likes tea")).memory_id
    memories.update(client, memory_id, {"importance": 0.9})
    entry = last_entry(memories, client.owner_id)
    memories.undo(person, entry)
    with pytest.raises(Conflict):
        memories.undo(person, entry)
    memories.update(client, memory_id, {"importance": 0.3})
    with pytest.raises(Conflict):
        memories.undo(person, entry)


def test_undo_of_an_unknown_entry(memories: Memories, person: Actor) -> None:
    with pytest.raises(NotFound):
        memories.undo(person, 2**62)


def test_undo_of_forget_meets_the_same_text(memories: Memories, client: Actor, person: Actor) -> None:
    old = memories.remember(client, draft("Anna likes tea")).memory_id
    memories.forget(client, old)
    entry = last_entry(memories, client.owner_id)
    memories.remember(client, draft("Anna likes tea"))
    with pytest.raises(Conflict, match="says exactly the same"):
        memories.undo(person, entry)


def test_hard_delete_blanks_the_journal_and_cannot_be_undone(memories: Memories, client: Actor, person: Actor, database: Database) -> None:
    memory_id = memories.remember(client, draft("Anna likes zanzibar")).memory_id
    memories.update(client, memory_id, {"text": "Anna likes zanzibarzanzibar"})
    update = last_entry(memories, client.owner_id)
    tombstone = memories.remember(client, draft("Something else")).memory_id
    memories.forget(client, tombstone, replaced_by_id=memory_id)
    memories.forget(client, memory_id, hard=True)
    with pytest.raises(NotFound):
        memories.get(client.owner_id, memory_id)
    assert memories.get(client.owner_id, tombstone).replaced_by_id is None
    for entry in (update, last_entry(memories, client.owner_id)):
        with pytest.raises(Conflict, match="for good"):
            memories.undo(person, entry)
    with database.transaction() as connection:
        for table in ("journal_rows", "memories", "memory_vectors", "memory_lexical"):
            row = connection.execute(
                f"SELECT count(*) AS n FROM {table} t WHERE owner_id = %s AND t::text ILIKE '%%zanzibar%%'", [client.owner_id]
            ).fetchone()
            assert row == {"n": 0}


def test_ids_are_never_reused(memories: Memories, client: Actor) -> None:
    first = memories.remember(client, draft("one thing")).memory_id
    memories.forget(client, first, hard=True)
    assert memories.remember(client, draft("one thing")).memory_id > first


def test_the_journal_holds_no_vectors(memories: Memories, client: Actor) -> None:
    memories.remember(client, draft("Anna likes tea"))
    (entry,) = memories.journal(client.owner_id, 1)
    assert entry.rows[0].after is not None
    assert not {name for name in entry.rows[0].after if "vector" in name}


def test_two_hundred_parallel_writes_all_arrive(memories: Memories, client: Actor) -> None:
    errors: list[BaseException] = []

    def write(part: int) -> None:
        try:
            for number in range(10):
                memories.remember(client, draft(f"fact {part * 10 + number} about person{part}"), "insert")
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=[part]) for part in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert memories.stats(client.owner_id).active == 200


def test_the_same_text_from_many_writers_makes_one_memory(memories: Memories, client: Actor) -> None:
    ids: list[int] = []
    threads = [threading.Thread(target=lambda: ids.append(memories.remember(client, draft("Anna likes tea")).memory_id)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 20
    assert len(set(ids)) == 1
    assert memories.stats(client.owner_id).total == 1
