"""Made-up personal facts in six languages, and questions about them: the same ones on every computer.

Each fact is one to three sentences of about 15 to 40 words, put together from the sentence patterns and word lists of
`facts.json`, so that a hundred thousand of them share words and topics as the notes of one long life do, and yet are hardly
ever the same.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

SOURCES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
LANGUAGES: dict[str, Any] = SOURCES["languages"]
SHARES = [language["share"] for language in LANGUAGES.values()]


@dataclass(frozen=True, slots=True)
class Fact:
    """A memory to store."""

    text: str
    tags: tuple[str, ...]


def facts(number: int, seed: int = 0) -> list[Fact]:
    """The first so many facts of a seed, all different; those of two seeds have nothing to do with each other."""
    found: dict[str, Fact] = {}
    for one in _facts(seed):
        found.setdefault(one.text, one)
        if len(found) >= number:
            break
    return list(found.values())[:number]


def questions(number: int, seed: int) -> list[str]:
    """So many different questions; those of two seeds share some."""
    found: dict[str, None] = {}
    for position in count():
        if len(found) >= number:
            break
        source = random.Random(f"question {seed} {position}")  # noqa: S311 - test data
        language = source.choices(list(LANGUAGES), SHARES)[0]
        found[source.choice(LANGUAGES[language]["questions"]).format(**_slots(source, language))] = None
    return list(found)


def _facts(seed: int) -> Iterator[Fact]:
    for position in count():
        source = random.Random(f"fact {seed} {position}")  # noqa: S311 - test data
        language = source.choices(list(LANGUAGES), SHARES)[0]
        slots = _slots(source, language)
        second = source.sample(LANGUAGES[language]["second"], 2 if source.random() < 0.6 else 1)
        stop = "。" if language == "ja" else "."
        sentences = [source.choice(LANGUAGES[language]["first"]) + stop, *second]
        text = ("" if language == "ja" else " ").join(sentence.format(**slots) for sentence in sentences)
        yield Fact(text, tuple(sorted(source.sample(SOURCES["tags"], source.randint(1, 3)))))


def _slots(source: random.Random, language: str) -> dict[str, str]:
    words = LANGUAGES[language]["words"]
    name, other = source.sample(SOURCES["names"], 2)
    city, city2 = source.sample(SOURCES["cities"], 2)
    slots = {"name": name, "other": other, "city": city, "city2": city2}
    for kind in ("thing", "food", "work", "time"):
        slots[kind], slots[f"{kind}2"] = source.sample(words[kind], 2)
    return {**slots, "n": str(source.randint(2, 990)), "code": f"{source.choice(SOURCES['codes'])}-{source.randint(1000, 99999)}"}
