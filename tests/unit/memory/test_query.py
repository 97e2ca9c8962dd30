"""The query language: every key, how terms are joined, what is refused; and that no input at all breaks it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.memory.query import (
    KEYS,
    Being,
    Importance,
    Labelled,
    Numbered,
    Query,
    QueryProblem,
    Term,
    When,
    Word,
    parse,
)


def only(source: str) -> Term:
    """The single term of a query."""
    ((term,),) = parse(source).clauses
    return term


def local(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day).astimezone().astimezone(UTC)


@pytest.mark.parametrize(
    ("source", "atom"),
    [
        ("tea", Word("tea")),
        ('"green tea"', Word("green tea", phrase=True)),
        ("tag:Home_Office", Labelled("tag", "home-office")),
        ("TAG:books", Labelled("tag", "publishing")),
        ('tag:"home office"', Labelled("tag", "home-office")),
        ('tag:""', Labelled("tag", "")),
        ("source:claude", Labelled("source", "claude")),
        ('client:"An Editor"', Labelled("client", "An Editor")),
        ("session:monday", Labelled("session", "monday")),
        ("is:TRASH", Being("trash")),
        ("is:conflict", Being("conflict")),
        ("before:2026-10", When("before", local(2026, 10, 1))),
        ("after:2026-10-31", When("after", local(2026, 10, 31))),
        ("after:2026", When("after", local(2026, 1, 1))),
        ("confirmed-before:2026-1-9", When("confirmed-before", local(2026, 1, 9))),
        ("importance:>0.7", Importance(">", 0.7)),
        ("importance:<=.5", Importance("<=", 0.5)),
        ("importance:1", Importance("=", 1.0)),
        ("id:5", Numbered(5)),
        ("https://example.org/a", Word("https://example.org/a")),
        ("note:", Word("note:")),
        ("12:30", Word("12:30")),
        ('kind:"a b"', Word("kind:a b", phrase=True)),
    ],
)
def test_terms(source: str, atom: object) -> None:
    assert only(source) == Term(atom)  # type: ignore[arg-type]  # the table holds every kind
    assert only("-" + source) == Term(atom, negated=True)  # type: ignore[arg-type]  # as above


def test_joining() -> None:
    query = parse('tea  tag:a OR -tag:b OR "c d" -e')
    assert query == Query(
        (
            (Term(Word("tea")),),
            (Term(Labelled("tag", "a")), Term(Labelled("tag", "b"), negated=True), Term(Word("c d", phrase=True))),
            (Term(Word("e"), negated=True),),
        )
    )
    assert query.words == "tea c d"
    assert query.without_words() == Query(
        ((Term(Labelled("tag", "a")), Term(Labelled("tag", "b"), negated=True)), (Term(Word("e"), negated=True),))
    )


@pytest.mark.parametrize("source", ["", "  ", "-", '""', '-""', " - "])
def test_nothing(source: str) -> None:
    assert parse(source) == Query()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ('"green tea', "quotation mark"),
        ("OR tea", "OR must stand between"),
        ("tea OR", "OR must stand between"),
        ("tea OR OR milk", "OR must stand between"),
        ("tag:", "tag: needs a value, for example tag:work"),
        ("-is:", "is: needs a value"),
        ('before:""', "before: needs a value"),
        ("is:lost", "is: knows trash"),
        ("before:soon", "needs a date"),
        ("before:2026-13", "needs a date"),
        ("after:2026-02-30", "needs a date"),
        ("after:0000", "needs a date"),
        ("importance:2", "from 0 to 1"),
        ("importance:high", "from 0 to 1"),
        ("id:x", "number of a memory"),
        ("id:0", "number of a memory"),
        ("id:" + "9" * 19, "number of a memory"),
        ("a\0b", "character"),
        ("\ud800", "character"),
        ("x" * 4001, "characters"),
        ("x " * 201, "parts"),
    ],
)
def test_problems(source: str, told: str) -> None:
    with pytest.raises(QueryProblem, match=told) as caught:
        parse(source)
    assert str(caught.value).endswith(".")


def test_what_it_asks_for() -> None:
    assert parse("tea is:trash OR is:expired").mentions("trash")
    assert not parse("tea -is:trash").mentions("trash")
    assert parse("id:5").names_an_id()
    assert not parse("-id:5").names_an_id()


@given(st.text(alphabet=st.sampled_from('abz019 -:"OR>=.<äß日()\\%_' + "\t\n\0"), max_size=60))
def test_any_input(source: str) -> None:
    try:
        query = parse(source)
    except QueryProblem:
        return
    assert all(clause for clause in query.clauses)
    assert query.without_words().words == ""


WORDS = st.text(alphabet=st.sampled_from("abcäß日019_"), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["", *KEYS[:4], "foo"]), WORDS), max_size=8))
def test_reads_what_was_written(parts: list[tuple[bool, str, str]]) -> None:
    """Terms that are written side by side come out one by one, in order, with their minus."""
    source = " ".join(("-" if minus else "") + (f"{key}:" if key else "") + value for minus, key, value in parts)
    terms = parse(source).terms
    assert [term.negated for term in terms] == [minus for minus, _, _ in parts]
    assert [isinstance(term.atom, Word) for term in terms] == [key in ("", "foo") for _, key, _ in parts]
