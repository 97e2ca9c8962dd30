"""The journal with filters, undo of bulk changes and merges, rollback."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor, Conflict, NotFound
from server.memory.owner.base import Scope
from server.memory.owner.editing import Changes
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.ports import Past
from tests.support import draft

LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


@pytest.fixture
def ids(memories: Memories, client: Actor) -> list[int]:
    """Three memories."""
    return [memories.remember(client, draft(text), "insert").memory_id for text in ("one", "two", "three")]


def test_filters(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    mine.confirm(person, Scope(ids[:2]))
    mine.trash(person, Scope(ids[1:]))
    tools = [past.entry.tool for past in mine.past(owner, Past())]
    assert tools == ["trash", "confirm", "remember", "remember", "remember"]
    assert [past.entry.tool for past in mine.past(owner, Past(actor="owner", tool="confirm"))] == ["confirm"]
    history = mine.past(owner, Past(memory_id=ids[2]))
    assert [past.entry.tool for past in history] == ["trash", "remember"]
    assert [row.row_id for row in history[0].entry.rows] == [ids[2]]
    assert history[0].count == 2
    last = mine.past(owner, Past(limit=2))[-1].entry.id
    assert [past.entry.tool for past in mine.past(owner, Past(limit=2, before=last))] == ["remember", "remember"]
    assert mine.past(owner, Past(since=datetime.now(UTC) + timedelta(minutes=1))) == []


def test_undone_by_follows_undo_and_redo(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    first = mine.trash(person, Scope(ids[:1])).journal_id or 0
    entry = first
    undone: list[int | None] = []
    for _ in range(4):
        entry = mine.undo(person, entry).journal_id or 0
        undone.append(next(past.undone_by for past in mine.past(owner, Past()) if past.entry.id == first))
    assert [one is not None for one in undone] == [True, False, True, False]


def test_unknown_entry(mine: OwnerMemories, person: Actor) -> None:
    with pytest.raises(NotFound, match="no such journal entry"):
        mine.undo(person, 10**15)


def test_rollback_of_one_actor(mine: OwnerMemories, memories: Memories, client: Actor, person: Actor, ids: list[int]) -> None:
    owner = client.owner_id
    other = Actor(owner, "client", "another client")
    memories.update(client, ids[0], {"text": "one changed", "tags": ["x"]})
    memories.update(client, ids[0], {"importance": 0.9})
    memories.update(client, ids[1], {"importance": 0.9})
    memories.update(other, ids[1], {"importance": 0.1})

    rehearsal = mine.rollback(person, "test client", LONG_AGO, dry_run=True)
    assert len(rehearsal.entries) == 4
    assert all("is in the way" in conflict for conflict in rehearsal.conflicts)
    assert len(rehearsal.conflicts) == 2
    assert mine.rows(owner, ids)[0].text == "one changed"

    done = mine.rollback(person, "test client", LONG_AGO, dry_run=False)
    assert done.entries == rehearsal.entries
    assert [row.deleted_at is None for row in mine.rows(owner, ids)] == [False, True, False]
    assert mine.rows(owner, ids)[1].importance == 0.1
    undone = {past.entry.id: past.undone_by for past in mine.past(owner, Past(actor="test client"))}
    assert {one for one in undone if undone[one] is not None} == set(done.entries)
    assert mine.rollback(person, "test client", LONG_AGO, dry_run=True).entries == []

    mine.undo(person, done.outcome.journal_id or 0)
    (row, _, _) = mine.rows(owner, ids)
    assert (row.text, row.importance, row.deleted_at) == ("one changed", 0.9, None)
    assert memories.recall(owner, "one changed", 1)[0].memory.id == ids[0]
    assert all(past.undone_by is None for past in mine.past(owner, Past(actor="test client")))


def test_a_later_change_is_in_the_way(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    first = mine.change(person, Scope(ids), Changes(importance=0.9))
    mine.change(person, Scope(ids[2:]), Changes(importance=0.1))
    with pytest.raises(Conflict, match=f"Memory {ids[2]} has changed since"):
        mine.undo(person, first.journal_id or 0)
    assert [row.importance for row in mine.rows(person.owner_id, ids)] == [0.9, 0.9, 0.1]
