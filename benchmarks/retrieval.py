"""How well recall finds: recall@k and MRR on LoCoMo, for each leg alone and for the product through its own tool.

    .venv/bin/python -m benchmarks.retrieval [--data FILE] [--level turn|session]

Relevant are the turns (or sessions) named as evidence; recall@k is their share among the first k, averaged over questions;
MRR the mean of 1/rank of the first relevant one, 0 beyond 50.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.house import OWNER, House, house
from benchmarks.locomo import DATA, Talks, load
from server.memory.ports import Candidate
from server.memory.terms import query_terms

DEPTH = 50
CUTS = (5, 10, 20)
PART_CHARS = 15_900
BATCH = 100


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the tag of the store that it is asked in, and the keys that answer it."""

    question: str
    tag: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Item:
    """A memory to store; several may count as one key."""

    text: str
    tag: str
    key: str


def turn_level(talks: Talks) -> tuple[list[Item], list[Case]]:
    """One memory per turn, each talk under a tag of its own."""
    items = [Item(turn.text, turn.talk, turn.key) for turn in talks.turns]
    return items, [Case(question.text, question.talk, question.turns) for question in talks.questions]


def session_level(talks: Talks) -> tuple[list[Item], list[Case]]:
    """One memory per session, all talks together; a session that is too long is split and counts as one."""
    sessions: dict[str, list[str]] = defaultdict(list)
    of_turn = {}
    for turn in talks.turns:
        key = f"{turn.talk}/{turn.session}"
        sessions[key].append(turn.text)
        of_turn[turn.talk, turn.key] = key
    items = [Item(part, "locomo", key) for key, texts in sessions.items() for part in _split("\n".join(texts))]
    cases = [Case(one.text, "locomo", frozenset(of_turn[one.talk, key] for key in one.turns)) for one in talks.questions]
    return items, cases


def _split(text: str) -> list[str]:
    parts = []
    while len(text) > PART_CHARS:
        cut = text.rfind("\n", 0, PART_CHARS)
        parts.append(text[:cut])
        text = text[cut + 1 :]
    return [*parts, text]


def measure(ranked: Iterable[Sequence[str]], cases: Sequence[Case]) -> dict[str, float]:
    """Recall at each cut, and MRR."""
    sums: dict[str, float] = defaultdict(float)
    for keys, case in zip(ranked, cases, strict=True):
        seen = list(dict.fromkeys(keys))[:DEPTH]
        for cut in CUTS:
            sums[f"R@{cut}"] += len(case.relevant & set(seen[:cut])) / len(case.relevant)
        sums["MRR"] += next((1 / rank for rank, key in enumerate(seen, 1) if key in case.relevant), 0.0)
    return {name: total / len(cases) for name, total in sums.items()}


def store_all(here: House, items: Sequence[Item]) -> dict[int, str]:
    """Remember every item through the tool, in the order in which it was said; the key of each memory."""
    keys = {}
    for start in range(0, len(items), BATCH):
        part = items[start : start + BATCH]
        done = here.call("remember_batch", items=[{"text": item.text, "tags": [item.tag]} for item in part], dedup_policy="insert")
        keys.update({result["memory_id"]: item.key for item, result in zip(part, done["results"], strict=True)})
    here.jobs.once()
    return keys


def run(here: House, items: Sequence[Item], cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """The table of one level: BM25 alone, vectors alone, the product."""
    keys = store_all(here, items)

    def leg(score: Callable[[Candidate], float]) -> list[list[str]]:
        ranked = []
        for case in cases:
            found = here.store.candidates(
                OWNER, here.embedder.embed_query(case.question), query_terms(case.question), [case.tag.lower()], DEPTH * 2
            )
            ranked.append([keys[one.id] for one in sorted(found, key=score, reverse=True)])
        return ranked

    def product(case: Case) -> list[str]:
        return [keys[match["id"]] for match in here.call("recall", query=case.question, limit=DEPTH, tags=[case.tag])["matches"]]

    return {
        "BM25 alone": measure(leg(lambda one: one.bm25), cases),
        "vectors alone": measure(leg(lambda one: one.cosine), cases),
        "product": measure(map(product, cases), cases),
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--level", choices=("turn", "session"), default=None)
    given = parser.parse_args()
    talks = load(given.data)
    for name, level in (("turn", turn_level), ("session", session_level)):
        if given.level not in (None, name):
            continue
        items, cases = level(talks)
        with house() as here:
            table = run(here, items, cases)
        print(f"\n{name} level: {len(items)} memories, {len(cases)} questions")
        print(f"{'ranking':<16}" + "".join(f"{column:>8}" for column in ("R@5", "R@10", "R@20", "MRR")))
        for ranking, figures in table.items():
            print(f"{ranking:<16}" + "".join(f"{figures[column]:8.3f}" for column in ("R@5", "R@10", "R@20", "MRR")))


if __name__ == "__main__":
    main()
