"""Putting terms of the search language together."""

from __future__ import annotations

import pytest

from app.models.query import Join, joined, term


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [("tag", "work", "tag:work"), ("tag", "two words", 'tag:"two words"'), ("client", 'a"b', 'client:"ab"'), ("tag", "a:b", 'tag:"a:b"')],
)
def test_values_are_quoted_where_they_need_it(key: str, value: str, wanted: str) -> None:
    """A term is one term, whatever its value."""
    assert term(key, value) == wanted


@pytest.mark.parametrize(
    ("query", "how", "wanted"),
    [
        ("tea", Join.REPLACE, "tag:a"),
        ("tea", Join.ADD, "tea tag:a"),
        ("", Join.ADD, "tag:a"),
        ("tea tag:a", Join.ADD, "tea"),
        ("tag:b", Join.EITHER, "tag:b OR tag:a"),
        ("", Join.EITHER, "tag:a"),
        ("tea", Join.WITHOUT, "tea -tag:a"),
        ("tea -tag:a", Join.WITHOUT, "tea -tag:a"),
    ],
)
def test_terms_meet_the_query(query: str, how: Join, wanted: str) -> None:
    """As the click says."""
    assert joined(query, "tag:a", how) == wanted
