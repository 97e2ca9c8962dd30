"""Undo of any history: taken back entry by entry, the first state is there again; taken back once more, the last."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from server.memory.memories import Memories
from server.memory.model import Actor, Filter, Limits, Memory, Refusal
from server.memory.terms import terms
from server.store.database import Database
from server.store.store import PostgresStore
from tests.contract.memories.support import shown
from tests.support import WordEmbedder, draft

# Few texts, so that they meet each other again, in other case, and as near duplicates.
TEXTS = ["Anna likes tea", "anna LIKES tea", "Anna really likes tea", "Bob is tall", "Carl sails"]
START = TEXTS[:1] + TEXTS[3:]
Step: TypeAlias = Callable[[Memories, Actor, list[int]], object]

owners = itertools.count(1_000_000)
texts = st.sampled_from(TEXTS)
spots = st.integers(0, 9)  # which of the memories that there are by then
tags = st.lists(st.sampled_from(["Food", "kin", "Home Office"]), max_size=2)
policies = st.sampled_from(["ask", "insert", "skip_if_near"])
changes = st.fixed_dictionaries(
    {}, optional={"text": texts, "tags": tags, "importance": st.floats(0, 1), "expires_at": st.datetimes(timezones=st.timezones())}
).filter(bool)


def at(ids: list[int], spot: int) -> int:
    return ids[spot % len(ids)]


def remember(text: str, labels: list[str], policy: Any, old: list[int], worse: list[int]) -> Step:
    return lambda memories, actor, ids: memories.remember(
        actor, draft(text, labels), policy, [at(ids, spot) for spot in old], [at(ids, spot) for spot in worse]
    )


def remember_batch(items: list[tuple[str, Any]]) -> Step:
    return lambda memories, actor, _: memories.remember_batch(actor, [(draft(text), policy) for text, policy in items])


def update(items: list[tuple[int, dict[str, Any]]]) -> Step:
    return lambda memories, actor, ids: memories.update_batch(actor, [(at(ids, spot), change) for spot, change in items])


def forget(spot: int, reason: str | None, successor: int | None) -> Step:
    return lambda memories, actor, ids: memories.forget(
        actor, at(ids, spot), reason=reason, replaced_by_id=None if successor is None else at(ids, successor)
    )


def forget_batch(spots: list[int], reason: str | None) -> Step:
    return lambda memories, actor, ids: memories.forget_batch(actor, [at(ids, spot) for spot in spots], reason=reason)


def confirm(spot: int) -> Step:
    return lambda memories, actor, ids: memories.confirm(actor, at(ids, spot))


def reinforce(spots: list[int], delta: float, query: str | None) -> Step:
    return lambda memories, actor, ids: memories.reinforce(actor, [at(ids, spot) for spot in spots], delta, query)


def undo(back: int) -> Step:
    return lambda memories, actor, _: memories.undo(actor, memories.journal(actor.owner_id, 50)[: back + 1][-1].id)


some = st.lists(spots, min_size=1, max_size=4)
few = st.lists(spots, max_size=2)
reasons = st.none() | st.just("She changed")
steps = st.one_of(
    st.builds(remember, texts, tags, policies, few, few),
    st.builds(remember_batch, st.lists(st.tuples(texts, policies), min_size=1, max_size=4)),
    st.builds(update, st.lists(st.tuples(spots, changes), min_size=1, max_size=3)),
    st.builds(forget, spots, reasons, st.none() | spots),
    st.builds(forget_batch, some, reasons),
    st.builds(confirm, spots),
    st.builds(reinforce, some, st.floats(-1, 1), st.none() | texts),
    st.builds(undo, st.integers(0, 2)),
)


class History:
    """An owner of their own with a few memories, and what is done to them."""

    def __init__(self, database: Database) -> None:
        self.actor = Actor(next(owners), "client", "test client")
        embedder = WordEmbedder()
        self._database = database
        store = PostgresStore(database)
        store.use_model(self.actor.owner_id, embedder.model)
        self.memories = Memories(store, embedder, Limits())
        for text in START:
            self.memories.remember(self.actor, draft(text, ["food"]))

    def rows(self) -> list[Memory]:
        """Every row, oldest first."""
        return self.memories.listing(self.actor.owner_id, Filter(include_deleted=True), 50, 0)[::-1]

    def entries(self) -> list[int]:
        """The ids of all entries, newest first."""
        return [entry.id for entry in self.memories.journal(self.actor.owner_id, 1000)]

    def do(self, step: Step) -> None:
        """One step; what the domain refuses must leave no trace."""
        before = self.entries()
        try:
            step(self.memories, self.actor, [row.id for row in self.rows()])
        except Refusal:
            assert self.entries() == before

    def undo(self, count: int) -> None:
        """The newest entries one after the other, as a person does it."""
        for entry in self.entries()[:count]:
            self.memories.undo(Actor(self.actor.owner_id, "person", "owner"), entry)

    def check_derived(self) -> None:
        """Each memory has live vectors of its present text alone, and its terms are in the lexical leg while it lives."""
        with self._database.transaction() as connection:
            vectors = connection.execute(
                """SELECT m.id, count(v.memory_id) AS n, bool_and(v.text_key = sha256(convert_to(m.text, 'UTF8'))) AS own
                     FROM memories m LEFT JOIN memory_vectors v ON v.owner_id = m.owner_id AND v.memory_id = m.id AND v.live
                    WHERE m.owner_id = %s GROUP BY m.id""",
                [self.actor.owner_id],
            ).fetchall()
            lexical = connection.execute(
                "SELECT memory_id, live, terms FROM memory_lexical WHERE owner_id = %s", [self.actor.owner_id]
            ).fetchall()
        assert all(row["n"] == 1 and row["own"] for row in vectors)
        wanted = {row.id: (row.deleted_at is None, sorted(terms(row.text).counts)) for row in self.rows()}
        assert {row["memory_id"]: (row["live"], row["terms"]) for row in lexical} == wanted


@example(history=[update([(0, {"text": TEXTS[4]}), (0, {"text": START[0]})])])  # there and back in one batch
@given(history=st.lists(steps, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
def test_any_history(database: Database, history: list[Step]) -> None:
    lived = History(database)
    first, known = [shown(row) for row in lived.rows()], len(lived.entries())
    for step in history:
        lived.do(step)
    lived.check_derived()
    last, count = [shown(row) for row in lived.rows()], len(lived.entries()) - known
    lived.undo(count)
    back = lived.rows()
    assert [shown(row) for row in back[: len(first)]] == first
    assert all(row.deleted_at is not None for row in back[len(first) :])  # what was made since is a tombstone, as ids are never reused
    lived.check_derived()
    lived.undo(count)
    assert [shown(row) for row in lived.rows()] == last
    lived.check_derived()
