"""Life and death of the worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from server.embedding.cards import find_card
from server.embedding.client import MAX_DEATHS, LocalEmbedder, Options
from server.memory.ports import EmbeddingError
from tests.integration.embedding.conftest import START_SECONDS, Start, wait_until_busy, worker_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
TEXTS = [f"Memory number {number} of a batch that is interrupted." for number in range(200)]

PARENT = """
import sys, threading
from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder
embedder = LocalEmbedder(find_card(None))
embedder.start()
assert embedder.ready.wait(60)
threading.Thread(target=embedder.embed_passages, args=(["word " * 100_000],), daemon=True).start()
with embedder._changed:
    assert embedder._changed.wait_for(lambda: embedder._in_flight, 60)
print(embedder.worker_pid, flush=True)
sys.stdin.read()
"""


def kill(pid: int) -> None:
    psutil.Process(pid).kill()


def test_a_batch_survives_the_worker_s_death(start: Start, embedder: LocalEmbedder) -> None:
    expected = np.concatenate(embedder.embed_passages(TEXTS))
    victim = start()
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(victim.embed_passages, TEXTS)
        wait_until_busy(victim)
        first = worker_of(victim)
        kill(first)
        found = np.concatenate(batch.result(120))
    assert worker_of(victim) != first
    assert ((expected * found).sum(axis=1) > 0.999).all()


@posix
def test_an_abort_inside_the_worker_costs_a_retry_only(start: Start) -> None:
    victim = start()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(victim.embed_passages, TEXTS[:100])
        wait_until_busy(victim)
        os.kill(worker_of(victim), signal.SIGABRT)
        assert len(call.result(120)) == 100


def test_a_text_that_ends_two_workers_is_given_up_and_others_go_on(start: Start) -> None:
    victim = start()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(victim.embed_passages, ["word " * 100_000])
        wait_until_busy(victim)
        first = worker_of(victim)
        kill(first)
        second = worker_of(victim, other_than=first)
        wait_until_busy(victim)
        kill(second)
        with pytest.raises(EmbeddingError, match="ended twice"):
            call.result(60)
    assert len(victim.embed_passages(["The next text."])) == 1


def test_after_several_deaths_in_a_row_it_says_what_to_do_and_can_be_started_again(start: Start) -> None:
    victim = start(Options(backoff_seconds=0.01))
    pid = worker_of(victim)
    for _ in range(MAX_DEATHS - 1):
        kill(pid)
        pid = worker_of(victim, other_than=pid)
    kill(pid)
    with victim._changed:
        assert victim._changed.wait_for(lambda: victim.state == "failed", START_SECONDS)
    assert not victim.ready.is_set()
    assert victim.advice is not None
    assert "install it again" in victim.advice
    with pytest.raises(EmbeddingError, match="install it again"):
        victim.embed_passages(["text"])
    victim.start()
    assert victim.ready.wait(START_SECONDS)
    assert len(victim.embed_passages(["text"])) == 1


@posix
def test_a_worker_that_gives_no_sign_of_life_is_replaced(start: Start) -> None:
    victim = start(Options(stall_seconds=5.0))
    stuck = worker_of(victim)
    os.kill(stuck, signal.SIGSTOP)
    assert len(victim.embed_passages(["Somebody waits for this."])) == 1
    assert worker_of(victim) != stuck


def test_the_worker_ends_in_the_middle_of_its_work_when_the_server_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    worker.wait(10)
    assert not worker.is_running()


def test_a_query_overtakes_a_batch(embedder: LocalEmbedder) -> None:
    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(embedder.embed_passages, [f"{text} It goes on for a while. " * 10 for text in TEXTS[:30]])
        wait_until_busy(embedder)
        embedder.embed_query("Who waits for nobody?")
        assert not batch.done()
        assert len(batch.result(120)) == 30


def test_an_idle_worker_is_unloaded_and_comes_back(start: Start) -> None:
    sleepy = start(Options(idle_seconds=0.1))
    with sleepy._changed:
        assert sleepy._changed.wait_for(lambda: sleepy.state == "idle" and sleepy.worker_pid is None, START_SECONDS)
    assert sleepy.ready.is_set()
    assert len(sleepy.embed_passages(["Good morning."])) == 1


def test_stop_ends_the_worker_and_fails_who_waits(start: Start) -> None:
    stopped = start()
    worker = psutil.Process(worker_of(stopped))
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(stopped.embed_passages, ["word " * 100_000])
        wait_until_busy(stopped)
        stopped.stop()
        with pytest.raises(EmbeddingError, match="stopping"):
            call.result(10)
    assert not worker.is_running()
    assert stopped.state == "stopped"
    with pytest.raises(EmbeddingError, match="not running"):
        stopped.embed_query("anyone?")
    stopped.stop()
    stopped.start()
    assert stopped.ready.wait(START_SECONDS)


def test_a_damaged_model_fails_at_once_with_the_remedy(tmp_path: Path) -> None:
    local = find_card(None)
    for file in local.card.files:
        (tmp_path / file.name).symlink_to(local.path(file))
    (tmp_path / "mean.npy").unlink()
    (tmp_path / "mean.npy").write_bytes(b"damaged")
    broken = LocalEmbedder(replace(local, folder=tmp_path))
    broken.start()
    try:
        with pytest.raises(EmbeddingError, match=r"mean\.npy is not the one that its card names.*Install OwnSona again"):
            broken.embed_query("anything")
        assert broken.state == "failed"
    finally:
        broken.stop()
