"""Edits of one memory and of very many: one operation, one undo, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor, InvalidInput, Memory, NotFound, SecretRejected
from server.memory.owner.base import Outcome, Scope
from server.memory.owner.editing import Changes, Stale
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.ports import Past
from server.memory.ports import EmbeddingError
from tests.support import WordEmbedder, draft

SOON = datetime.now(UTC) + timedelta(days=3)


@pytest.fixture
def ids(memories: Memories, client: Actor) -> list[int]:
    """Three memories."""
    return [
        memories.remember(client, draft(text, ["Food", "Anna"]), "insert").memory_id
        for text in ("Anna drinks tea", "Anna eats bread", "Anna likes plums")
    ]


@pytest.fixture
def state(mine: OwnerMemories, owner: int, ids: list[int]) -> Callable[[], list[Memory]]:
    """The three as they are."""
    return lambda: mine.rows(owner, ids)


def test_add(mine: OwnerMemories, memories: Memories, person: Actor) -> None:
    done = mine.add(person, " I moved to Graz ", ["Home"], 0.8, SOON)
    (row,) = mine.rows(person.owner_id, done.changed)
    assert (row.text, row.tags, row.tags_given, row.importance, row.expires_at) == ("I moved to Graz", ["home"], ["Home"], 0.8, SOON)
    assert memories.recall(person.owner_id, "Graz", 5)[0].memory.id == row.id
    with pytest.raises(InvalidInput, match=f"Memory {row.id} already says"):
        mine.add(person, "i moved to  GRAZ", [], 0.5, None)
    with pytest.raises(SecretRejected):
        mine.add(person, "the password is hunter2hunter2: sk-abcdefghijklmnopqrstuvwxyz123456", [], 0.5, None)
    assert mine.undo(person, done.journal_id or 0).changed == [row.id]


def test_all_fields_of_many_at_once(mine: OwnerMemories, person: Actor, ids: list[int], state: Callable[[], list[Memory]]) -> None:
    before = state()
    changes = Changes(add_tags=("Drinks",), remove_tags=("anna",), importance=0.9, expires=True, expires_at=SOON, keep="N")
    done = mine.change(person, Scope(query="anna"), changes)
    assert sorted(done.changed) == ids
    for row in state():
        assert (row.tags, row.tags_given, row.importance, row.expires_at, row.keep) == (
            ["food", "drinks"],
            ["Food", "Drinks"],
            0.9,
            SOON,
            "N",
        )
    (past,) = mine.past(person.owner_id, Past(limit=1))
    assert (past.entry.tool, past.entry.actor_kind, past.count) == ("edit", "person", 3)
    undone = mine.undo(person, done.journal_id or 0)
    assert state() == before
    mine.undo(person, undone.journal_id or 0)
    assert state()[0].importance == 0.9


def test_nothing_to_change_is_no_entry(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    assert mine.change(person, Scope(ids), Changes(importance=0.5, add_tags=("food",))) == Outcome()
    assert mine.change(person, Scope([10**12]), Changes(importance=0.9)) == Outcome()


def test_text_with_its_version(mine: OwnerMemories, memories: Memories, person: Actor, client: Actor, ids: list[int]) -> None:
    version = mine.rows(person.owner_id, ids[:1])[0].version
    done = mine.change(person, Scope(ids[:1]), Changes(text="Anna drinks water", importance=0.7), version)
    assert memories.recall(person.owner_id, "water", 1)[0].memory.id == ids[0]
    memories.update(client, ids[1], {"importance": 0.3})
    current = mine.rows(person.owner_id, ids[1:2])[0]
    with pytest.raises(Stale) as stale:
        mine.change(person, Scope(ids[1:2]), Changes(text="Anna eats rice"), current.version - 1)
    assert stale.value.current == current
    mine.undo(person, done.journal_id or 0)
    assert memories.recall(person.owner_id, "tea", 1)[0].memory.id == ids[0]


def test_one_text_for_many_is_refused(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    with pytest.raises(InvalidInput, match="one memory"):
        mine.change(person, Scope(ids), Changes(text="the same"))


def test_nothing_happens_without_the_model(mine: OwnerMemories, person: Actor, ids: list[int], embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model does not run.")
    with pytest.raises(EmbeddingError):
        mine.change(person, Scope(ids[:1]), Changes(text="Anna drinks water"))
    assert mine.rows(person.owner_id, ids[:1])[0].text == "Anna drinks tea"


def test_a_broken_query_changes_nothing(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    with pytest.raises(InvalidInput, match="OR must stand"):
        mine.trash(person, Scope(query="anna OR"))


def test_too_many_tags_leave_a_memory_alone(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    done = mine.change(person, Scope(ids), Changes(add_tags=tuple(f"t{number}" for number in range(15))))
    assert (done.changed, done.skipped, done.skipped_reason) == ([], 3, "It would have more than 16 tags.")


def test_a_lock_holds_for_everything_but_unlocking_and_confirming(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    mine.change(person, Scope(ids[:1]), Changes(keep="Y"))
    for done in (
        mine.trash(person, Scope(ids)),
        mine.restore(person, Scope(ids)),
        mine.change(person, Scope(ids), Changes(importance=1.0)),
    ):
        assert ids[0] not in done.changed
    assert mine.erase(person, Scope(ids[:1])).skipped_reason == "It is locked. Unlock it first."
    assert mine.confirm(person, Scope(ids[:1])).changed == ids[:1]
    assert mine.change(person, Scope(ids[:1]), Changes(keep="U", importance=1.0)).changed == ids[:1]


def test_trash_and_restore(
    mine: OwnerMemories, memories: Memories, person: Actor, ids: list[int], state: Callable[[], list[Memory]]
) -> None:
    done = mine.trash(person, Scope(query="drinks OR eats"), "no longer true")
    assert sorted(done.changed) == ids[:2]
    assert [row.forget_reason for row in state()] == ["no longer true", "no longer true", None]
    assert [match.memory.id for match in memories.recall(person.owner_id, "Anna tea", 5)] == ids[2:]
    assert mine.trash(person, Scope(ids[:1])).journal_id is None
    assert mine.restore(person, Scope(query="is:trash")).changed == ids[:2]
    assert memories.recall(person.owner_id, "Anna drinks tea", 5)[0].memory.id == ids[0]
    assert [row.deleted_at for row in state()] == [None] * 3


def test_what_is_there_again_stays_in_the_trash(
    mine: OwnerMemories, memories: Memories, person: Actor, client: Actor, ids: list[int]
) -> None:
    mine.trash(person, Scope(ids[:1]))
    again = memories.remember(client, draft("Anna drinks tea"), "insert").memory_id
    mine.trash(person, Scope([again]))
    done = mine.restore(person, Scope([ids[0], again]))
    assert (done.changed, done.skipped, done.skipped_reason) == ([ids[0]], 1, "Another memory says exactly the same.")


def test_erase_leaves_no_trace(mine: OwnerMemories, memories: Memories, person: Actor, client: Actor, ids: list[int]) -> None:
    memories.forget(client, ids[1], replaced_by_id=ids[0])
    done = mine.erase(person, Scope(ids[:1]))
    assert mine.rows(person.owner_id, ids[:2])[0].id == ids[1]
    assert mine.rows(person.owner_id, ids[1:2])[0].replaced_by_id is None
    for past in mine.past(person.owner_id, Past(memory_id=ids[0])):
        assert [(row.before, row.after) for row in past.entry.rows] == [(None, None)]
    with pytest.raises(Exception, match="deleted for good"):
        mine.undo(person, done.journal_id or 0)
    with pytest.raises(NotFound):
        mine.get(person.owner_id, ids[0])


def test_more_than_one_step(
    mine: OwnerMemories, person: Actor, ids: list[int], monkeypatch: pytest.MonkeyPatch, state: Callable[[], list[Memory]]
) -> None:
    monkeypatch.setattr("server.memory.owner.base.STEP_ROWS", 2)
    monkeypatch.setattr("server.store.owner.STEP_ROWS", 1)
    before = state()
    done = mine.trash(person, Scope(ids))
    assert done.changed == ids
    mine.undo(person, done.journal_id or 0)
    assert state() == before
