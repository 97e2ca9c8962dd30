"""What recall must find whatever a benchmark of talks says: identifiers, numbers, dates, negation, other scripts, the end of a long text.

    .venv/bin/python -m benchmarks.generated

Each case is stored among 400 look-alikes of its own kind; counted is how often it comes first, and among the first five.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.house import House, house

LOOKALIKES = 400
CASES = 40


@dataclass(frozen=True, slots=True)
class Probe:
    """A question, the text that answers it, and others like it."""

    kind: str
    query: str
    answer: str
    others: tuple[str, ...]


def _identifiers(rng: random.Random) -> Iterator[Probe]:
    def code() -> str:
        return f"{rng.choice(['INV', 'PO', 'RMA', 'TKT', 'SKU'])}-{rng.randrange(2019, 2027)}-{rng.randrange(10000):04}"

    codes = list(dict.fromkeys(code() for _ in range(LOOKALIKES * 2)))[:LOOKALIKES]
    items = [f"The file {one} is kept on shelf {rng.randrange(90)} of the archive." for one in codes]
    for one in codes[:CASES]:
        yield Probe("identifier", f"where is {one}?", next(item for item in items if one in item), tuple(items))


def _numbers(rng: random.Random) -> Iterator[Probe]:
    numbers = rng.sample(range(10000, 99999), LOOKALIKES)
    items = [f"Locker {one} at the gym belongs to {rng.choice(NAMES)}." for one in numbers]
    for place in range(CASES):
        yield Probe("number", f"who uses locker {numbers[place]}", items[place], tuple(items))


def _dates(rng: random.Random) -> Iterator[Probe]:
    days = [f"{year}-{month:02}-{day:02}" for year in (2024, 2025) for month in range(1, 13) for day in range(1, 29)]
    chosen = rng.sample(days, LOOKALIKES)
    items = [f"On {day} the user met {rng.choice(NAMES)} for {rng.choice(['lunch', 'dinner', 'a walk', 'chess'])}." for day in chosen]
    for place in range(CASES):
        yield Probe("date", f"what happened on {chosen[place]}?", items[place], tuple(items))


def _negation(rng: random.Random) -> Iterator[Probe]:
    foods = rng.sample(FOODS, len(FOODS))
    likes = [f"The user likes {food}." for food in foods[::2]]
    dislikes = [f"The user does not like {food}." for food in foods[1::2]]
    for food, text in zip(foods[1::2], dislikes, strict=True):
        yield Probe("negation", f"does the user dislike {food}?", text, (*likes, *dislikes))


def _scripts(rng: random.Random) -> Iterator[Probe]:
    pairs = rng.sample([(name, town) for name in CJK_NAMES for town in CJK_TOWNS], 80)
    texts = [f"{name}住在{town}，每个周末都去爬山。" for name, town in pairs]
    for (name, town), text in zip(pairs[:CASES], texts, strict=False):
        yield Probe("CJK", f"住在{town}的{name}", text, tuple(texts))


def _long_texts(rng: random.Random) -> Iterator[Probe]:
    for number in range(8):
        name, thing = NAMES[number], FOODS[number]
        filler = " ".join(rng.choice(SENTENCES) for _ in range(400))[: 15_900 - 2]
        answer = f"{filler}. {name} keeps the spare key under the {thing} pot."
        others = tuple(" ".join(rng.choice(SENTENCES) for _ in range(300))[:15_000] + f" (copy {copy})" for copy in range(2))
        yield Probe("character 15 900", f"under which pot does {name} keep the spare key?", answer, others)


NAMES = (
    "Amara Bello Chen Dilara Elif Farid Greta Hiro Ines Jonas Kofi Lena Mateo Nadia Omar Priya Quentin Rosa Sven Tariq Uma Viktor Wanda"
    " Ximena Yusuf Zofia Anselm Brigid Cosimo Dagny"
).split()
FOODS = (
    "basil cilantro olives anchovies mushrooms oysters beetroot rhubarb celery ginger garlic turnips lentils okra papaya mango figs walnuts"
    " almonds raisins coconut licorice marzipan tofu tempeh kimchi sauerkraut horseradish mustard vinegar capers artichokes asparagus leeks"
    " parsnips radishes quinoa barley millet polenta"
).split()
CJK_NAMES = ("王伟", "李娜", "张敏", "刘洋", "陈静", "杨帆", "赵磊", "黄丽", "周杰", "吴倩")
CJK_TOWNS = ("北京", "上海", "广州", "深圳", "成都", "杭州", "武汉", "西安", "南京", "重庆", "天津", "苏州")
SENTENCES = (
    "The weather stayed mild for most of the week.",
    "Trains on the coastal line ran late again.",
    "Nobody had touched the piano in years.",
    "The council approved the new cycle path.",
    "Two of the apple trees did not bear fruit.",
    "They repainted the shed in a darker green.",
    "The ferry timetable changes every spring.",
    "An old radio stood on the window sill.",
    "Paper prices rose for the third month.",
    "The bakery closes early on Wednesdays.",
)


def measure(here: House, probes: list[Probe]) -> tuple[float, float]:
    """Share that comes first, and among the first five."""
    texts = list(dict.fromkeys(text for probe in probes for text in (*probe.others, probe.answer)))
    for start in range(0, len(texts), 100):
        items = [{"text": text, "tags": [probes[0].kind]} for text in texts[start : start + 100]]
        here.call("remember_batch", items=items, dedup_policy="insert")
    here.jobs.once()
    first = five = 0
    for probe in probes:
        found = [match["text"] for match in here.call("recall", query=probe.query, limit=5, tags=[probe.kind])["matches"]]
        first += found[:1] == [probe.answer]
        five += probe.answer in found
    return first / len(probes), five / len(probes)


def main() -> None:
    """Print the table."""
    print(f"{'kind':<20}{'cases':>6}{'first':>8}{'in five':>9}")
    with house() as here:
        for make in (_identifiers, _numbers, _dates, _negation, _scripts, _long_texts):
            probes = list(make(random.Random(7)))  # noqa: S311 - reproducible, not secret
            first, five = measure(here, probes)
            print(f"{probes[0].kind:<20}{len(probes):>6}{first:>8.1%}{five:>9.1%}", flush=True)


if __name__ == "__main__":
    main()
