"""How much of llama.cpp's own speed is left for a caller who embeds a batch of 200 texts.

    python -m benchmarks.embedding_speed [--rounds N]

"alone" is the encoder in a process of its own, with the worker's settings: tokenise, pack, encode, and nothing else.
"client" is LocalEmbedder with its worker, through the pipe and the transform. Both take turns in one run; the figures are
the best of the rounds, for a computer that does other things meanwhile. Memory is the worker's, after all of it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from multiprocessing.connection import Connection
from typing import Any

import psutil

from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder, Options, load_order
from server.embedding.process import environment
from server.embedding.worker import Model

WORDS = "anna berlin nurse project deadline coffee allergic bicycle moved sister prefers python backup every night meeting with budget"


def texts(count: int, words: int, seed: int) -> list[str]:
    """Sentences of random words."""
    source = random.Random(seed)  # noqa: S311 - test data
    return [" ".join(source.choices(WORDS.split(), k=words)) + f" {number}." for number in range(count)]


def alone(order: dict[str, Any], connection: Connection) -> None:
    """Embed each list that comes in, and send back the seconds."""
    model = Model(order)
    while batch := connection.recv():
        start = time.perf_counter()
        job = model.job({"id": 1, "kind": "passage", "priority": 0, "texts": batch})
        while job.batches:
            model.step(job)
        connection.send(time.perf_counter() - start)


def seconds(embedder: LocalEmbedder, batch: list[str]) -> float:
    """How long the client takes."""
    start = time.perf_counter()
    embedder.embed_passages(batch)
    return time.perf_counter() - start


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compare the embedder with the bare encoder.")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    local, options = find_card(None), Options()
    os.environ.update(environment())
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=alone, args=(load_order(local, options.threads), there), daemon=True)
    process.start()
    embedder = LocalEmbedder(local, options)
    embedder.start()
    assert embedder.ready.wait(60), embedder.advice
    assert embedder.worker_pid is not None
    worker = psutil.Process(embedder.worker_pid)
    print(f"threads {options.threads}; worker after loading {worker.memory_info().rss >> 20} MB")
    for words in (8, 25, 60):
        bare, client = [], []
        for number in range(rounds):
            batch = texts(200, words, number)
            here.send(batch)
            bare.append(here.recv())
            client.append(seconds(embedder, batch))
        ratio = min(bare) / min(client)
        print(f"200 texts of {words} words: alone {200 / min(bare):.0f}/s, client {200 / min(client):.0f}/s, {ratio:.0%}")
    singles = [seconds(embedder, [text]) for text in texts(50, 8, 99)]
    print(f"one text: median {1000 * sorted(singles)[25]:.1f} ms; worker at the end {worker.memory_info().rss >> 20} MB")
    here.send([])
    process.join()
    embedder.stop()


if __name__ == "__main__":
    main()
