"""The order of recall: the contract's formula, ties by recency, min_score before limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.memory.learning import reinforced
from server.memory.model import Memory
from server.memory.ports import Candidate
from server.memory.ranking import LEXICAL_WEIGHT, order, rank, supported

T = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(number: int, cosine: float, **fields: Any) -> Candidate:
    values: dict[str, Any] = {
        "bm25": 0.0,
        "context_match": 0.0,
        "salience": 0.5,
        "session_id": None,
        "created_at": T,
        "last_confirmed_at": None,
        "last_used_at": None,
    }
    return Candidate(id=number, cosine=cosine, **(values | fields))


def test_formula() -> None:
    assert order(candidate(1, 0.8)) == pytest.approx(0.8 * 1.25)
    assert order(candidate(1, 0.8, salience=1.0, context_match=0.6)) == pytest.approx(0.8 * (1 + 0.5 + 0.3))
    assert order(candidate(1, 0.8, bm25=8.0)) == pytest.approx(0.8 * 1.25 + LEXICAL_WEIGHT * 8)
    assert order(candidate(1, -0.2, salience=3.0)) == pytest.approx(-0.2)


def test_a_reinforced_memory_overtakes_within_the_formula() -> None:
    near, used = candidate(1, 0.70), candidate(20, 0.62, salience=0.775)
    assert [one.id for one in rank([near, used], 2, None)] == [1, 20]
    used = candidate(20, 0.62, salience=1.2)
    assert [one.id for one in rank([near, used], 2, None)] == [20, 1]


def test_neighbours_of_one_breath_support_each_other() -> None:
    a, b, c = candidate(1, 0.4), candidate(2, 0.8), candidate(4, 0.4)
    orders = supported([a, b, c])
    assert orders[1] == pytest.approx(0.5 + 0.2 * 0.5 * 1.0)
    assert orders[2] == pytest.approx(1.0 + 0.2 * (0.5 * 0.5 + 0.25 * 0.5))
    assert orders[4] == pytest.approx(0.5 + 0.2 * 0.25 * 1.0)


@pytest.mark.parametrize(
    "other",
    [candidate(2, 0.8, session_id="b"), candidate(2, 0.8, created_at=T + timedelta(minutes=11)), candidate(2, -0.8), candidate(5, 0.8)],
)
def test_no_support_from_elsewhere(other: Candidate) -> None:
    assert supported([candidate(1, 0.4), other])[1] == pytest.approx(0.5)


def test_equals_go_by_what_was_confirmed_used_or_made_last() -> None:
    old, confirmed = candidate(10, 0.5), candidate(20, 0.5, last_confirmed_at=T + timedelta(days=2))
    used, new = candidate(30, 0.5, last_used_at=T + timedelta(days=3)), candidate(40, 0.5, created_at=T + timedelta(days=1))
    assert [one.id for one in rank([old, confirmed, used, new], 4, None)] == [30, 20, 40, 10]


def test_min_score_counts_before_limit_and_by_the_raw_cosine() -> None:
    weak = candidate(1, 0.2, bm25=100.0)
    assert [one.id for one in rank([weak, candidate(2, 0.6)], 1, 0.5)] == [2]
    assert [one.id for one in rank([weak, candidate(2, 0.6)], 1, 0.2)] == [1]
    assert rank([], 5, None) == []


@pytest.mark.parametrize(
    ("salience", "reward", "expected"), [(0.5, 1.0, 0.775), (0.5, -1.0, 0.175), (0.1, -1.0, 0.0), (3.0, 1.0, 3.0), (1.0, 0.0, 0.95)]
)
def test_reinforce_formula(salience: float, reward: float, expected: float) -> None:
    class Row:
        use_count = 2
        reward_sum = 1.0

    row: Any = Row()
    row.salience = salience
    memory: Memory = row
    changed = reinforced(memory, reward, T)
    assert changed == {"salience": pytest.approx(expected), "use_count": 3, "reward_sum": 1.0 + reward, "last_used_at": T}
