"""Explained recall, feedback, find and replace, figures, review, settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor, InvalidInput
from server.memory.owner.base import Scope
from server.memory.owner.editing import Changes
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.overview import Preferences
from server.memory.owner.replacing import Sample, Wanted
from server.store.database import Database
from tests.support import draft


@pytest.fixture
def ids(memories: Memories, client: Actor) -> list[int]:
    """Three memories."""
    texts = ("Anna drinks tea", "Anna drinks Tea and tea", "the train leaves at noon")
    return [memories.remember(client, draft(text, ["Food tip"], source_provider="claude"), "insert").memory_id for text in texts]


def test_explain_adds_up_and_agrees_with_recall(mine: OwnerMemories, memories: Memories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    mine.feedback(person, ids[:1], 1.0, "what does anna drink")
    found = mine.explain(owner, "Anna drinks tea", 1, None, ())
    assert sorted(one.row.id for one in found) == ids
    assert [one.rank for one in found] == [1, 2, 3]
    assert [one.row.id for one in found if one.shown] == [match.memory.id for match in memories.recall(owner, "Anna drinks tea", 1)]
    for one in found:
        learned = one.cosine * (1 + one.salience_part + one.context_part)
        assert one.order == pytest.approx(learned + one.lexical_part + one.support_part)
    assert found[0].dense_rank == 1
    assert found[-1].lexical_rank is None
    assert mine.explain(owner, "tea", 5, None, ("nowhere",)) == []
    assert mine.explain(owner, "tea", 5, None, ("!!!",)) == []
    assert not any(one.shown for one in mine.explain(owner, "tea", 5, 2.0, ()))


def test_feedback_can_be_undone(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    before = mine.rows(person.owner_id, ids)
    mine.trash(person, Scope(ids[2:]))
    done = mine.feedback(person, ids, -1.0, None)
    assert (done.changed, done.skipped) == (ids[:2], 1)
    assert mine.rows(person.owner_id, ids)[0].salience < before[0].salience
    mine.undo(person, done.journal_id or 0)
    assert mine.rows(person.owner_id, ids)[:2] == before[:2]


def test_replace_in_texts(mine: OwnerMemories, memories: Memories, person: Actor, ids: list[int]) -> None:
    owner = person.owner_id
    rehearsal = mine.replace(person, Scope(query="anna"), Wanted("tea", r"\1coffee"), dry_run=True)
    assert (rehearsal.count, rehearsal.outcome) == (2, None)
    assert rehearsal.samples[0] == Sample(ids[0], "Anna drinks tea", r"Anna drinks \1coffee")
    done = mine.replace(person, Scope(ids), Wanted("tea", "coffee", case=True), dry_run=False)
    assert [row.text for row in mine.rows(owner, ids)] == ["Anna drinks coffee", "Anna drinks Tea and coffee", "the train leaves at noon"]
    assert memories.recall(owner, "coffee", 1)[0].memory.id in ids[:2]
    assert done.outcome is not None
    mine.undo(person, done.outcome.journal_id or 0)
    assert mine.rows(owner, ids)[0].text == "Anna drinks tea"


def test_replace_by_regular_expression(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    mine.replace(person, Scope(ids), Wanted(r"(\w+) drinks", r"\1 loves", regex=True), dry_run=False)
    assert mine.rows(person.owner_id, ids)[0].text == "Anna loves tea"
    for find, put in (("(", "x"), ("a", r"\2"), ("a", r"\g<no>")):
        with pytest.raises(InvalidInput, match="regular expression"):
            mine.replace(person, Scope(ids), Wanted(find, put, regex=True), dry_run=True)


def test_replace_in_tags(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    done = mine.replace(person, Scope(ids), Wanted("food", "Drink", field="tags"), dry_run=False)
    assert (done.count, done.samples[0]) == (3, Sample(ids[0], "Food tip", "Drink tip"))
    assert (mine.rows(person.owner_id, ids)[0].tags, mine.rows(person.owner_id, ids)[0].tags_given) == (["drink-tip"], ["Drink tip"])


def test_replace_leaves_some_alone(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    mine.change(person, Scope(ids[:1]), Changes(keep="Y"))
    done = mine.replace(person, Scope(ids), Wanted("Anna drinks Tea and ", "Anna drinks "), dry_run=False)
    assert done.outcome is not None
    assert (done.count, done.outcome.skipped_reason) == (0, "Another memory would say exactly the same.")
    assert mine.replace(person, Scope(ids[:1]), Wanted("tea", "milk"), dry_run=True).count == 0
    assert mine.replace(person, Scope(ids[2:]), Wanted("the train leaves at noon", ""), dry_run=True).count == 0


def test_many_texts_get_their_vectors_later(mine: OwnerMemories, person: Actor, ids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.memory.owner.replacing.EMBED_AT_ONCE", 1)
    mine.replace(person, Scope(ids), Wanted("anna", "Berta"), dry_run=False)
    assert mine.find(person.owner_id, "berta").ids == ids[1::-1]


def test_statistics(mine: OwnerMemories, person: Actor, ids: list[int]) -> None:
    figures = mine.statistics(person.owner_id)
    assert sum(day.count for day in figures.growth) == 3
    assert [(tag.name, tag.count) for tag in figures.tags] == [("food-tip", 3)]
    assert {one.bucket: one.count for one in figures.freshness}["week"] == 3
    assert {one.bucket: one.count for one in figures.lengths}["1-50"] == 3
    assert (figures.totals.active, figures.totals.locked, figures.totals.avg_importance) == (3, 0, 0.5)


def test_statistics_of_nothing(mine: OwnerMemories, owner: int) -> None:
    figures = mine.statistics(owner)
    assert (list(figures.growth), figures.totals.total, figures.totals.avg_importance) == ([], 0, None)
    assert mine.review(owner, 10) == []


def test_review(mine: OwnerMemories, person: Actor, ids: list[int], database: Database) -> None:
    mine.change(person, Scope(ids[:1]), Changes(expires=True, expires_at=datetime.now(UTC) + timedelta(days=2)))
    with database.transaction() as connection:
        for days, memory_id, confirmed in ((100, ids[1], 100), (800, ids[2], 400)):
            connection.execute(
                "UPDATE memories SET created_at = now() - make_interval(days => %s), last_confirmed_at = now() - make_interval(days => %s)"
                " WHERE id = %s",
                [days, confirmed, memory_id],
            )
    found = mine.review(person.owner_id, 10)
    assert [(one.row.id, one.reason) for one in found] == [(ids[0], "expiring"), (ids[2], "old"), (ids[1], "unconfirmed")]


def test_graph(mine: OwnerMemories, owner: int, ids: list[int], database: Database) -> None:
    with database.transaction() as connection:
        for subject, thing in (("Anna", "tea"), ("tea", "China"), ("anna", "Graz")):
            connection.execute(
                "INSERT INTO memory_relations (owner_id, subject, predicate, object, source_memory_id) VALUES (%s, %s, 'has', %s, %s)",
                [owner, subject, thing, ids[0]],
            )
    assert [relation.object for relation in mine.graph(owner, "ANNA", 1)] == ["tea", "Graz"]
    assert len(mine.graph(owner, "anna", 2)) == 3
    assert mine.entities(owner, "")[0] in ("Anna", "anna", "tea")
    assert mine.entities(owner, "hin") == ["China"]
    assert mine.entities(owner, "%") == []


def test_settings(mine: OwnerMemories, person: Actor) -> None:
    owner = person.owner_id
    assert mine.preferences(owner) == Preferences()
    done = mine.prefer(person, {"backup_hours": 6, "backups_kept": 3})
    assert mine.preferences(owner) == Preferences(backup_hours=6, backups_kept=3)
    paused = mine.pause(person, paused=True)
    assert mine.preferences(owner).paused
    assert mine.pause(person, paused=True).journal_id is None
    mine.undo(person, paused.journal_id or 0)
    mine.undo(person, done.journal_id or 0)
    assert mine.preferences(owner) == Preferences()
    mine.prefer(person, {"backup_hours": "often", "later": 1})
    assert mine.preferences(owner) == Preferences()
