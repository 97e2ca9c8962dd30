"""Lists by query, in every order; the sidebar; kept searches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from server.memory.memories import Memories
from server.memory.model import Actor, NotFound
from server.memory.owner.base import Scope
from server.memory.owner.editing import Changes
from server.memory.owner.memories import OwnerMemories
from server.memory.owner.ports import Sorting, SortKey
from tests.support import WordEmbedder, draft

NOW = datetime.now(UTC)


@pytest.fixture
def ids(memories: Memories, mine: OwnerMemories, client: Actor, person: Actor) -> dict[str, int]:
    """A small store with one of each kind."""

    def store(text: str, *tags: str, **fields: object) -> int:
        return memories.remember(client, draft(text, tags, **fields), "insert").memory_id

    made = {
        "tea": store("Anna drinks green tea_leaves", "food", source_provider="Claude", source_client="Editor", session_id="s1"),
        "über": store("Über den Wolken (50% off)", "music", importance=0.9, session_id="s2"),
        "茶": store("安娜喜欢喝绿茶"),
        "old": store("The old phone number", "phone", expires_at=NOW - timedelta(days=1)),
        "gone": store("Anna drinks coffee", "food"),
        "archived": store("Anna drinks cocoa", "food"),
        "locked": store("teapot is blue", "home", importance=0.1),
    }
    mine.trash(person, Scope([made["gone"]]))
    mine.trash(Actor(person.owner_id, "job", "decay"), Scope([made["archived"]]))
    mine.change(person, Scope([made["locked"]]), Changes(keep="Y"))
    return made


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "locked 茶 über tea"),
        ("tea", "locked tea"),
        ("TEA anna", "tea"),
        ("eapot", ""),
        ('"EAPOT is"', "locked"),
        ("üb", "über"),
        ("ÜBER", "über"),
        ('"50%"', "über"),
        ('"5_%"', ""),
        ("(50", "über"),
        ('"tea_l"', "tea"),
        ("绿茶", "茶"),
        ("tag:food", "tea"),
        ("tag:food OR tag:home", "locked tea"),
        ("tag:Food -leaves", "tea"),
        ("-tag:food", "locked 茶 über"),
        ("-tea", "茶 über"),
        ("source:claude", "tea"),
        ('source:""', "locked 茶 über"),
        ("-source:claude", "locked 茶 über"),
        ("client:editor session:S1", "tea"),
        ("is:untagged", "茶"),
        ('tag:""', "茶"),
        ("is:trash", "gone"),
        ("is:archived", "archived"),
        ("is:trash OR is:archived", "archived gone"),
        ("is:expired", "old"),
        ("is:locked", "locked"),
        ("-is:locked tea", "tea"),
        ("importance:>0.7", "über"),
        ("importance:<=0.1", "locked"),
        ("before:2020", ""),
        ("after:2020 tea", "locked tea"),
        ("confirmed-before:2020", ""),
        ("tag:!!!", "茶"),
    ],
)
def test_queries(mine: OwnerMemories, owner: int, ids: dict[str, int], query: str, names: str) -> None:
    found = mine.find(owner, query)
    assert found.problem is None
    assert found.ids == [ids[name] for name in names.split()]


def test_by_id_whatever_its_state(mine: OwnerMemories, owner: int, ids: dict[str, int]) -> None:
    for memory_id in ids.values():
        assert mine.find(owner, f"id:{memory_id}").ids == [memory_id]


def test_a_problem_is_told_and_is_no_error(mine: OwnerMemories, owner: int, ids: dict[str, int]) -> None:
    found = mine.find(owner, "tea OR")
    assert found.ids == []
    assert found.problem == "OR must stand between two things to look for."


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("created", "tea über 茶 locked"),
        ("updated", "tea über 茶 locked"),
        ("confirmed", "tea über 茶 locked"),
        ("importance", "locked tea 茶 über"),
        ("salience", "locked tea 茶 über"),
        ("text", "tea locked über 茶"),
        ("length", "茶 locked über tea"),
    ],
)
def test_sorting(mine: OwnerMemories, owner: int, ids: dict[str, int], key: SortKey, names: str) -> None:
    wanted = [ids[name] for name in names.split()]
    assert mine.find(owner, "", sorting=Sorting(key, descending=False)).ids == wanted
    assert mine.find(owner, "", sorting=Sorting(key, descending=True)).ids == wanted[::-1]


def test_by_meaning(mine: OwnerMemories, owner: int, ids: dict[str, int]) -> None:
    assert mine.find(owner, "green drinks", "meaning").ids[0] == ids["tea"]
    assert mine.find(owner, "anna tag:music", "meaning").ids == [ids["über"]]
    assert mine.find(owner, "tag:music", "meaning").ids == [ids["über"]]


def test_conflicts(mine: OwnerMemories, memories: Memories, client: Actor, embedder: WordEmbedder) -> None:
    owner = client.owner_id
    embedder.place("The meeting is on Monday", "The meeting is on Friday", 0.95)
    friday = memories.remember(client, draft("The meeting is on Friday", ["work"]), "insert").memory_id
    monday = memories.remember(client, draft("The meeting is on Monday", ["work"]), "insert").memory_id
    assert mine.find(owner, "is:conflict").ids == [monday, friday]
    assert mine.find(owner, "is:conflict friday").ids == [friday]
    mine.decide(Actor(owner, "person", "owner"), [(monday, friday)], "distinct")
    assert mine.find(owner, "is:conflict").ids == []


def test_like_one(mine: OwnerMemories, memories: Memories, client: Actor, embedder: WordEmbedder) -> None:
    embedder.place("She has 3 cats", "She has 2 cats", 0.9)
    first = memories.remember(client, draft("She has 2 cats"), "insert").memory_id
    second = memories.remember(client, draft("She has 3 cats"), "insert").memory_id
    (like,) = mine.like(client.owner_id, first)
    assert (like.row.id, like.differing_words) == (second, ["2", "3"])
    assert like.similarity == pytest.approx(0.9, abs=2e-3)


def test_sidebar(mine: OwnerMemories, owner: int, ids: dict[str, int]) -> None:
    sidebar = mine.sidebar(owner)
    assert {tag.name: tag.count for tag in sidebar.tags} == {"food": 1, "music": 1, "home": 1}
    assert [(one.name, one.count) for one in sidebar.providers] == [(None, 3), ("Claude", 1)]
    assert [one.name for one in sidebar.sessions] == ["s2", "s1"]
    assert (sidebar.trash, sidebar.archived, sidebar.expired, sidebar.locked, sidebar.untagged) == (1, 1, 1, 1, 1)


def test_kept_searches(mine: OwnerMemories, person: Actor) -> None:
    owner = person.owner_id
    first, outcome = mine.keep_search(person, "  Work ", "tag:work")
    assert outcome.journal_id is not None
    assert mine.keep_search(person, "Work", "tag:job")[0] == first
    assert [(one.name, one.query) for one in mine.sidebar(owner).saved] == [("Work", "tag:job")]
    dropped = mine.drop_search(person, first)
    assert mine.sidebar(owner).saved == []
    with pytest.raises(NotFound):
        mine.drop_search(person, first)
    assert dropped.journal_id is not None
    assert mine.undo(person, dropped.journal_id).changed == []
    assert [one.query for one in mine.sidebar(owner).saved] == ["tag:job"]


def test_another_owner_sees_nothing(mine: OwnerMemories, owner: int, ids: dict[str, int]) -> None:
    assert mine.find(owner + 10_000_000, "").ids == []
    assert mine.rows(owner + 10_000_000, list(ids.values())) == []
