"""How fast the product answers: through a real server, over HTTP, with 1 000 to 100 000 memories.

    python -m benchmarks.latency [--quick] [--sizes 1000,10000] [--homes DIR]

--quick measures 1 000 memories only, with fewer calls, in under a minute on a computer that does nothing else. With --homes
the filled homes are kept there and used again. Up to 10 000 memories come in through remember_batch; more, and those of
--quick, are loaded in bulk with vectors that are kept between runs.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import bare, filling, footprint
from benchmarks.facts import Fact, facts, questions
from benchmarks.serving import Client, Server, Times, bridge_answer, serve, timed
from server.embedding.service import open_embedder
from server.paths import Home
from server.postgres.cluster import Cluster
from server.settings import Settings
from server.store import maintenance
from server.store.database import Database
from server.store.derived import register_model
from server.store.schema import migrate

OWNER = 1
BATCH = 200
THROUGH_THE_TOOL = 10_000  # memories; embedding more would take an hour
FRESH = 1  # seed of facts that are in no store before
CLIENTS = 4

Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for each figure."""

    calls: int  # of each tool
    batches: int  # under each policy
    by_tool: int  # memories, at most, that are filled in through remember_batch


FULL = Effort(200, 3, THROUGH_THE_TOOL)
QUICK = Effort(50, 1, 0)


def item(fact: Fact) -> dict[str, Any]:
    """A fact as remember takes it."""
    return {"text": fact.text, "tags": list(fact.tags)}


class Measured:
    """The rows of one size."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rows: list[Row] = []

    def add(self, name: str, figure: object) -> None:
        """One row; also shown at once, for a run takes long."""
        self.rows.append((name, str(figure)))
        print(f"{self.size:>7}  {name:<60} {figure}", flush=True)


# ---- filling


def fill_by_tool(server: Server, wanted: Sequence[Fact], out: Measured) -> None:
    """remember_batch of all; the first and last batches beside the encoder alone."""
    client = server.client()
    batches = [wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH)]
    watched = {*range(3), *range(len(batches) - 3, len(batches))}
    began = time.perf_counter()
    with bare.encoder() as encoder:
        alone, product = 0.0, 0.0
        for number, batch in enumerate(batches):
            before = time.perf_counter()
            client.call("remember_batch", items=[item(fact) for fact in batch])
            if number in watched:
                product += time.perf_counter() - before
                alone += encoder.seconds([fact.text for fact in batch])
    texts = BATCH * len(watched & set(range(len(batches))))
    rates = f"{texts / product:.0f} / {texts / alone:.0f} texts/s = {alone / product:.0%}"
    out.add("fill through remember_batch, all", f"{len(wanted) / (time.perf_counter() - began):.0f} texts/s")
    out.add("its first and last 3 batches (ask) / encoder alone", rates)
    client.close()


def fill_in_bulk(folder: Path, wanted: Sequence[Fact], out: Measured) -> None:
    """Load rows and make what is derived, before any server runs."""
    home = Home.at(folder)
    home.create()
    embedder = open_embedder(Settings.read())
    embedder.start()
    assert embedder.ready.wait(60), embedder.advice
    vectors, own = filling.vectors_of(wanted, embedder)
    out.add("vectors by the model, stand-ins", f"{own}, {len(wanted) - own}")
    embedder.stop()
    cluster = Cluster(home)
    conninfo = cluster.start().conninfo()
    migrate(conninfo)
    database = Database(conninfo)
    database.open()
    with database.transaction() as connection:
        model = register_model(connection, OWNER, embedder.model)
        filling.load(connection, OWNER, model, wanted, vectors)
    began = time.perf_counter()
    maintenance.build_index(database, OWNER, model)
    out.add("index build", f"{time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    maintenance.recount(database, OWNER)
    out.add("recount of terms", f"{time.perf_counter() - began:.1f} s")
    with database.autocommit() as plain:
        plain.execute("VACUUM (ANALYZE)")
    database.close()
    cluster.stop()


# ---- starting


def starts(out: Measured) -> None:
    """An empty home and the same home again."""
    with tempfile.TemporaryDirectory(prefix="ownsona-bench-") as folder:
        with serve(Path(folder)) as server:
            out.add("new home: initialize + tools/list over HTTP", f"{server.first_answer:.2f} s")
            out.add("new home: ready (database made)", f"{server.ready:.1f} s")
        again: list[Server] = []
        for _ in range(3):
            with serve(Path(folder)) as server:
                again.append(server)
        out.add("home exists: initialize + tools/list over HTTP, median of 3", f"{sorted(one.first_answer for one in again)[1]:.2f} s")
        out.add("home exists: ready, median of 3", f"{sorted(one.ready for one in again)[1]:.2f} s")
        with serve(Path(folder)):
            bridge = [bridge_answer(Path(folder)) for _ in range(3)]
        out.add("bridge: initialize + tools/list, median of 3", f"{sorted(bridge)[1]:.2f} s")


# ---- calls


def reading(server: Server, wanted: Sequence[Fact], calls: int, out: Measured) -> None:
    """Every tool that changes nothing."""
    client = server.client()
    asked = iter(questions(4 * calls + 300, seed=wanted_seed(len(wanted))))
    for _ in range(20):
        client.call("recall", query=next(asked))
    before = footprint.processor_time(server.home, server.pid)
    out.add("recall", timed([partial(client.call, "recall", query=next(asked)) for _ in range(calls)]))
    computed = footprint.processor_time(server.home, server.pid) - before
    out.add("recall, processor time of all processes", f"{1000 * computed / calls:.1f}")
    out.add("recall, a query asked before", timed([partial(client.call, "recall", query="Who likes rye bread?") for _ in range(calls)]))
    tagged = [partial(client.call, "recall", query=next(asked), tags=["garden"]) for _ in range(calls // 2)]
    out.add("recall with a tag (13 %)", timed(tagged))
    out.add(f"recall, {CLIENTS} clients at once", together(server, [next(asked) for _ in range(calls)]))
    source = random.Random(2)  # noqa: S311 - test data
    pieces = [source.choice(wanted).text[5:17].strip() for _ in range(calls // 2)]
    out.add("text_search", timed([partial(client.call, "text_search", text=piece) for piece in pieces]))
    out.add("list_memories", timed([partial(client.call, "list_memories")] * (calls // 2)))
    out.add("memory_stats", timed([partial(client.call, "memory_stats")] * 10))
    for tool in ("find_near_duplicates", "find_conflicts"):
        (milliseconds,) = timed([partial(client.call, tool)]).values
        out.add(tool, f"{milliseconds / 1000:.2f} s")
    client.close()


def wanted_seed(size: int) -> int:
    """Other questions for each size and each run: what a server was asked before is in its cache."""
    return size * 1000 + int(time.time()) % 1000


def together(server: Server, queries: Sequence[str]) -> Times:
    """Several clients at once, each with its share of the queries."""
    results: list[Times] = []

    def one(share: Sequence[str]) -> None:
        client = server.client()
        results.append(timed([partial(client.call, "recall", query=query) for query in share]))
        client.close()

    threads = [threading.Thread(target=one, args=(queries[number::CLIENTS],)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Times([value for times in results for value in times.values])


def writing(server: Server, effort: Effort, out: Measured) -> None:
    """remember one by one, and batches under both policies that are used most, beside the encoder alone."""
    client: Client = server.client()
    calls, rounds = effort.calls // 2, effort.batches
    fresh = facts(calls + 2 * rounds * BATCH, seed=wanted_seed(FRESH))
    out.add("remember", timed([partial(client.call, "remember", **item(fact)) for fact in fresh[:calls]]))
    batches = [fresh[start : start + BATCH] for start in range(calls, len(fresh), BATCH)]
    with bare.encoder() as encoder:
        out.add("llama.cpp alone, one such text", timed_encoder(encoder, [fact.text for fact in fresh[:50]]))
        for policy in ("ask", "insert"):
            product, alone = [], []
            for batch in batches[:rounds]:
                before = time.perf_counter()
                client.call("remember_batch", items=[item(fact) for fact in batch], dedup_policy=policy)
                product.append(time.perf_counter() - before)
                alone.append(encoder.seconds([fact.text for fact in batch]))
            batches = batches[rounds:]
            rates = f"{BATCH / min(product):.0f} / {BATCH / min(alone):.0f} texts/s = {min(alone) / min(product):.0%}"
            out.add(f"remember_batch of {BATCH} ({policy}) / encoder alone, best of {rounds}", rates)
    client.close()


def timed_encoder(encoder: bare.BareEncoder, texts: Sequence[str]) -> Times:
    """The encoder's own time for one text at a time."""
    return Times([1000 * encoder.seconds([text]) for text in texts])


def parts(server: Server, calls: int, out: Measured) -> None:
    """What recall is made of, without the product."""
    queries = questions(calls, seed=wanted_seed(7))
    with bare.encoder() as encoder:
        out.add("llama.cpp alone, one query", timed_encoder(encoder, queries))
    found = bare.nearest(server.conninfo(), bare.query_vectors(queries))
    out.add("pgvector alone, nearest 100", found.times)
    out.add("pgvector alone, nearest 100 exactly", found.exact)
    out.add("recall@10 of the index against exact search", f"{found.overlap:.3f}")


# ---- the whole


@contextmanager
def filled(size: int, homes: Path, effort: Effort, out: Measured) -> Iterator[Server]:
    """A server with so many memories; a home that is there already is used as it is."""
    folder, wanted = homes / str(size), facts(size)
    known = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if not known and size > effort.by_tool:
        fill_in_bulk(folder, wanted, out)
    with serve(folder) as server:
        if not known and size <= effort.by_tool:
            fill_by_tool(server, wanted, out)
        yield server


def measure(size: int, homes: Path, effort: Effort) -> Measured:
    """One size."""
    out = Measured(size)
    with filled(size, homes, effort, out) as server:
        out.add("memory after the start or the filling (PSS)", f"{memory_of(server)} MB")
        parts(server, effort.calls, out)
        reading(server, facts(size), effort.calls, out)
        writing(server, effort, out)
        out.add("memory after all this (PSS)", f"{memory_of(server)} MB")
        out.add("load of the computer (1 minute)", f"{os.getloadavg()[0]:.1f}")
        out.add("disk for each memory", f"{footprint.disk(server.home) / size / 1024:.1f} kB")
    return out


def memory_of(server: Server) -> str:
    """The sum and its parts in MB."""
    found = {name: part.pss >> 20 for name, part in footprint.memory(server.home, server.pid).items()}
    return f"{found.pop('together')} ({', '.join(f'{name} {value}' for name, value in found.items())})"


def table(columns: Sequence[Measured]) -> list[str]:
    """Markdown: one row for each figure, one column for each size."""
    names = list(dict.fromkeys(name for column in columns for name, _ in column.rows))
    figures = [dict(column.rows) for column in columns]
    head = ["| times in ms: p50 / p95 / p99 |" + "".join(f" {column.size:,} |".replace(",", " ") for column in columns)]
    rule = ["|---|" + "---|" * len(columns)]
    return head + rule + [f"| {name} |" + "".join(f" {column.get(name, '')} |" for column in figures) for name in names]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--homes", type=Path)
    given = parser.parse_args()
    sizes = [1000] if given.quick else [int(size) for size in given.sizes.split(",")]
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory(prefix="ownsona-bench-") as folder:
        start = Measured(0)
        if not given.quick:
            starts(start)
        columns = [measure(size, given.homes or Path(folder), QUICK if given.quick else FULL) for size in sizes]
    print("", *([] if given.quick else table([start])), "", *table(columns), sep="\n")


if __name__ == "__main__":
    main()
