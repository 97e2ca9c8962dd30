"""The query language of the window.

Terms beside each other must all match; `OR` joins the terms on its two sides and binds tighter, so `work tag:a OR tag:b` means
work and one of the tags. `-` before a term negates it. A plain term is the beginning of a word, "a phrase" is a piece of the text.
`key:value` is one of LABELS, STATES, MOMENTS, `importance:` and `id:`; an unknown key makes the whole a plain term. A label with
an empty value (`tag:""`) means memories without one. `before:2026-10` ends where that month begins, `after:2026-10` begins there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias, cast

from server.memory.model import MAX_ID
from server.memory.tags import normalize_tag

MAX_CHARS = 4000
MAX_TERMS = 200

Label = Literal["tag", "source", "client", "session"]
State = Literal["trash", "archived", "expired", "locked", "untagged", "conflict"]
MomentKey = Literal["before", "after", "confirmed-before"]
Relation = Literal["<", "<=", "=", ">=", ">"]

LABELS = ("tag", "source", "client", "session")
STATES = ("trash", "archived", "expired", "locked", "untagged", "conflict")
MOMENTS = ("before", "after", "confirmed-before")
KEYS = (*LABELS, *MOMENTS, "is", "importance", "id")

_TOKEN = re.compile(r'(?P<minus>-?)(?:(?P<key>[A-Za-z-]+):(?=\S))?(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))')
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_IMPORTANCE = re.compile(r"(<=|>=|<|>|=)?(\d*\.?\d+)")


class QueryProblem(Exception):
    """The query cannot be understood; the message says what is wrong, fit for the person."""


@dataclass(frozen=True, slots=True)
class Word:
    """The beginning of a word of the text, or with `phrase` any piece of it; whatever its case."""

    text: str
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class Labelled:
    """A tag (in its compared form) or where a memory comes from (whatever its case); empty: it has none."""

    key: Label
    value: str


@dataclass(frozen=True, slots=True)
class Being:
    """A state that a memory is in."""

    state: State


@dataclass(frozen=True, slots=True)
class When:
    """Made before or from a moment on, or last confirmed before it."""

    key: MomentKey
    at: datetime


@dataclass(frozen=True, slots=True)
class Importance:
    """Importance compared with a number from 0 to 1."""

    relation: Relation
    value: float


@dataclass(frozen=True, slots=True)
class Numbered:
    """One memory by its id."""

    id: int


Atom: TypeAlias = Word | Labelled | Being | When | Importance | Numbered


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that must, or must not, be so."""

    atom: Atom
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """All clauses must hold; of each clause one term."""

    clauses: tuple[tuple[Term, ...], ...] = ()

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term."""
        return tuple(term for clause in self.clauses for term in clause)

    @property
    def words(self) -> str:
        """What is asked for in plain words, for a search by meaning."""
        return " ".join(term.atom.text for term in self.terms if isinstance(term.atom, Word) and not term.negated)

    def without_words(self) -> Query:
        """The rest of the query, once its plain words are looked for by meaning."""
        kept = tuple(tuple(term for term in clause if term.negated or not isinstance(term.atom, Word)) for clause in self.clauses)
        return Query(tuple(clause for clause in kept if clause))

    def mentions(self, *states: State) -> bool:
        """Whether it asks for one of these states."""
        return any(isinstance(term.atom, Being) and term.atom.state in states and not term.negated for term in self.terms)

    def names_an_id(self) -> bool:
        """Whether it asks for a memory by its id."""
        return any(isinstance(term.atom, Numbered) and not term.negated for term in self.terms)


def parse(source: str) -> Query:
    """Read a query. Raises QueryProblem."""
    _check(source)
    clauses: list[list[Term]] = []
    joining = False
    for match in _TOKEN.finditer(source):
        if match.group() == "OR":
            if joining or not clauses:
                raise QueryProblem("OR must stand between two things to look for.")
            joining = True
            continue
        term = _term(match)
        if term is None:
            continue
        if joining:
            clauses[-1].append(term)
        else:
            clauses.append([term])
        joining = False
    if joining:
        raise QueryProblem("OR must stand between two things to look for.")
    if sum(map(len, clauses)) > MAX_TERMS:
        raise QueryProblem(f"The query has more than {MAX_TERMS} parts.")
    return Query(tuple(map(tuple, clauses)))


def _check(source: str) -> None:
    if len(source) > MAX_CHARS:
        raise QueryProblem(f"The query has {len(source)} characters; {MAX_CHARS} is the most.")
    if "\0" in source or any("\ud800" <= char <= "\udfff" for char in source):
        raise QueryProblem("The query holds a character that no text can hold.")
    if source.count('"') % 2:
        raise QueryProblem("A quotation mark is not closed.")


def _term(match: re.Match[str]) -> Term | None:
    """One term; None for what says nothing, as a lone minus while somebody is typing."""
    negated, key, quoted, bare = bool(match["minus"]), match["key"], match["quoted"], match["bare"]
    value = bare if quoted is None else quoted
    if key is None and value in KEYS_TYPED:
        raise QueryProblem(f"{value} needs a value, for example {EXAMPLES[value[:-1]]}.")
    if key is not None and key.lower() in KEYS:
        return Term(_keyed(key.lower(), value, quoted is not None), negated)
    text = (f"{key}:{value}" if key is not None else value).strip()
    return Term(Word(text, phrase=quoted is not None), negated) if text and match.group() not in ("-", "--") else None


def _keyed(key: str, value: str, quoted: bool) -> Atom:
    if not value and not (quoted and key in LABELS):
        raise QueryProblem(f"{key}: needs a value, for example {EXAMPLES[key]}.")
    if key in LABELS:
        return Labelled(cast(Label, key), normalize_tag(value) if key == "tag" else value.strip())
    if key in MOMENTS:
        return When(cast(MomentKey, key), _moment(key, value))
    if key == "is":
        if value.lower() not in STATES:
            raise QueryProblem(f"is: knows {', '.join(STATES)}, not {value}.")
        return Being(cast(State, value.lower()))
    return _importance(value) if key == "importance" else _numbered(value)


def _moment(key: str, value: str) -> datetime:
    match = _DATE.fullmatch(value)
    try:
        if match is None:
            raise ValueError(value)
        # The person means days where they are, which is where the server is.
        return datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1)).astimezone().astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise QueryProblem(f"{key}: needs a date such as 2026-10 or 2026-10-31, not {value}.") from None


def _importance(value: str) -> Importance:
    match = _IMPORTANCE.fullmatch(value)
    if match is None or not match[2].isascii() or float(match[2]) > 1:
        raise QueryProblem(f"importance: needs a number from 0 to 1, for example {EXAMPLES['importance']}.")
    return Importance(cast(Relation, match[1] or "="), float(match[2]))


def _numbered(value: str) -> Numbered:
    if not (value.isascii() and value.isdecimal() and len(value) <= 19 and 1 <= int(value) <= MAX_ID):
        raise QueryProblem("id: needs the number of a memory, for example id:5.")
    return Numbered(int(value))


EXAMPLES = {
    "tag": "tag:work",
    "source": "source:claude",
    "client": "client:editor",
    "session": "session:monday",
    "before": "before:2026-10",
    "after": "after:2026-10-31",
    "confirmed-before": "confirmed-before:2026-01",
    "is": "is:trash",
    "importance": "importance:>0.7",
    "id": "id:5",
}
KEYS_TYPED = frozenset(f"{key}:" for key in KEYS)
