"""The near-duplicate guard: which differences make two texts say different things."""

from __future__ import annotations

import pytest

from server.memory.distinct import differences


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ("My son Colby lives in Los Angeles.", "My son Cody lives in Los Angeles.", ["Colby", "Cody"]),
        ("I like tea", "I don't like tea", ["don't"]),
        ("I like tea", "I do not like tea", ["not"]),
        ("Ich mag Tee", "Ich mag keinen Tee", ["keinen"]),
        ("The room is 12 m wide", "The room is 13 m wide", ["12", "13"]),
        ("Version 1.2.3 is out", "Version 1.2.4 is out", ["1.2.3", "1.2.4"]),
        ("Meet on Monday", "Meet on Tuesday", ["Monday", "Tuesday"]),
        ("two cats", "three cats", ["two", "three"]),
        ("write to a@x.org", "write to b@x.org", ["a@x.org", "b@x.org"]),
        ("see https://x.org/a", "see https://x.org/b", ["https://x.org/a", "https://x.org/b"]),
        ("我住在北京", "我住在上海", ["我住在北京", "我住在上海"]),
        ("He met Anna and Bob", "He met Anna", ["Bob"]),
    ],
)
def test_differ(left: str, right: str, words: list[str]) -> None:
    assert differences(left, right) == words
    assert sorted(differences(right, left)) == sorted(words)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The user likes green tea.", "The user likes green tea!"),
        ("He likes green tea", "he LIKES green tea"),
        ("She often drinks coffee in the morning", "She frequently drinks coffee in the morning"),
        ("Anna lives in Rome", "Anna resides in Rome"),
        ("It is so: tea", "it is so - tea"),
    ],
)
def test_say_the_same(left: str, right: str) -> None:
    assert differences(left, right) == []
