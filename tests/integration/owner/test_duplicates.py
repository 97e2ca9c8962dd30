"""Groups, the proposed keeper, decisions on pairs, merging and its undo."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from server.jobs.registry import Jobs
from server.memory.memories import Memories
from server.memory.model import Actor, InvalidInput, NotFound, Protected
from server.memory.owner.base import Scope
from server.memory.owner.duplicates import Merged
from server.memory.owner.editing import Changes
from server.memory.owner.memories import OwnerMemories
from tests.support import WordEmbedder, draft

TEXTS = ("she drinks green tea", "she likes green tea", "green tea is her drink", "the train leaves at noon")


@pytest.fixture
def ids(memories: Memories, client: Actor, embedder: WordEmbedder) -> list[int]:
    """Three that say the same, and one that does not."""
    embedder.place(TEXTS[1], TEXTS[0], 0.96)
    embedder.place(TEXTS[2], TEXTS[0], 0.93)
    return [memories.remember(client, draft(text, [f"tag{n}"]), "insert").memory_id for n, text in enumerate(TEXTS)]


def test_groups(mine: OwnerMemories, owner: int, ids: list[int]) -> None:
    found = mine.groups(owner, 0.9)
    (group,) = found.groups
    assert found.checked_at is not None
    assert [row.id for row in group.members] == ids[:3]
    assert group.similarity == pytest.approx(0.96, abs=2e-3)
    assert (group.keeper, group.keeper_reason) == (ids[2], "It was confirmed last.")
    assert (group.pairs[0].left, group.pairs[0].right, group.pairs[0].differing_words) == (ids[0], ids[1], [])
    assert [row.id for row in mine.groups(owner, 0.95).groups[0].members] == ids[:2]
    assert mine.groups(owner, 0.97).groups == []


def test_what_differs_has_no_keeper(mine: OwnerMemories, memories: Memories, client: Actor, embedder: WordEmbedder) -> None:
    embedder.place("rent is 900 euro", "rent is 800 euro", 0.97)
    for text in ("rent is 800 euro", "rent is 900 euro"):
        memories.remember(client, draft(text), "insert")
    (group,) = mine.groups(client.owner_id, 0.9).groups
    assert (group.keeper, group.pairs[0].differing_words) == (None, ["800", "900"])


def test_the_locked_one_is_kept(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    mine.change(person, Scope(ids[:1]), Changes(keep="Y"))
    assert mine.groups(person.owner_id, 0.9).groups[0].keeper == ids[0]
    mine.change(person, Scope(ids[:2]), Changes(keep="Y"))
    assert mine.groups(person.owner_id, 0.9).groups[0].keeper is None


def test_decisions(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    done = mine.decide(person, [(ids[1], ids[0]), (ids[0], ids[2])], "distinct")
    assert mine.groups(owner, 0.92).groups == []
    mine.undo(person, done.journal_id or 0)
    assert len(mine.groups(owner, 0.92).groups) == 1
    mine.decide(person, [(ids[0], ids[1])], "related")
    assert [row.id for row in mine.groups(owner, 0.92).groups[0].members] == [ids[0], ids[2]]
    with pytest.raises(NotFound):
        mine.decide(person, [(ids[0], 10**12)], "related")
    with pytest.raises(InvalidInput):
        mine.decide(person, [(ids[0], ids[0])], "related")


def test_merge_and_undo(mine: OwnerMemories, memories: Memories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    before = mine.rows(owner, ids)
    # The keeper takes over the very text of another one.
    done = mine.merge(person, ids[2], ids[:2], Merged(text=TEXTS[0]))
    kept = mine.rows(owner, ids[2:3])[0]
    assert (kept.text, kept.tags, kept.created_at) == (TEXTS[0], ["tag2", "tag0", "tag1"], before[0].created_at)
    assert [row.replaced_by_id for row in mine.rows(owner, ids[:2])] == [ids[2]] * 2
    assert memories.recall(owner, TEXTS[0], 1)[0].memory.id == ids[2]
    undone = mine.undo(person, done.journal_id or 0)
    assert mine.rows(owner, ids) == before
    mine.undo(person, undone.journal_id or 0)
    assert mine.rows(owner, ids[2:3])[0].text == TEXTS[0]


def test_merge_with_chosen_fields(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    soon = datetime.now(UTC) + timedelta(days=1)
    mine.merge(person, ids[0], ids[1:2], Merged(tags=["mine"], importance=0.2, expires=True, expires_at=soon))
    row = mine.rows(person.owner_id, ids[:1])[0]
    assert (row.text, row.tags, row.importance, row.expires_at) == (TEXTS[0], ["mine"], 0.2, soon)


def test_merge_refusals(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    with pytest.raises(InvalidInput):
        mine.merge(person, ids[0], [ids[0]], Merged())
    with pytest.raises(NotFound):
        mine.merge(person, ids[0], [10**12], Merged())
    mine.change(person, Scope(ids[:1]), Changes(keep="Y"))
    with pytest.raises(Protected):
        mine.merge(person, ids[1], ids[:1], Merged())
    with pytest.raises(Protected):
        mine.merge(person, ids[0], ids[1:2], Merged(text="something new"))
    mine.merge(person, ids[0], ids[1:2], Merged())


def test_a_long_look_happens_in_the_background(
    mine: OwnerMemories, owner: int, ids: list[int], jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.jobs.similar.QUICK_ROWS", 0)
    assert mine.groups(owner, 0.9).checked_at is None
    assert mine.find(owner, "is:conflict").problem is not None
    for job in jobs.listing():
        ended = jobs.wait(job.id, 20)
        assert ended is not None
        assert ended.state == "done"
    assert len(mine.groups(owner, 0.9).groups) == 1
