"""The local embedder: callers in many threads on one side, one worker process on the other."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from server.embedding.cache import QueryCache
from server.embedding.cards import LocalModel
from server.embedding.process import WorkerProcess
from server.embedding.requests import Item, Priority, RequestQueue, require_text
from server.embedding.transform import Transform
from server.memory.ports import EmbeddingError, EmbeddingModel, Vectors

log = logging.getLogger(__name__)

State = Literal["stopped", "starting", "ready", "idle", "failed"]

STALL_SECONDS = 60.0  # without a sign of life from a worker that has work
MAX_ATTEMPTS = 2  # workers that a text may see end before it is given up
MAX_DEATHS = 5  # workers in a row that end without having embedded anything
RETRY_FAILED_SECONDS = 60.0  # after that, a call tries again
SMALL_CALL = 2  # texts in a call that counts as somebody waiting, and not as a batch


@dataclass(frozen=True, slots=True)
class Options:
    """What can be tuned."""

    threads: int = min(2, os.cpu_count() or 1)
    idle_seconds: float = 0.0  # after so long without work the worker is ended until it is needed; 0: never
    stall_seconds: float = STALL_SECONDS
    backoff_seconds: float = 0.5  # before the second restart in a row; doubled for each further one


class LocalEmbedder:
    """Implements `server.memory.ports.Embedder` with a worker process that is restarted when it dies."""

    def __init__(self, local: LocalModel, options: Options | None = None) -> None:
        self._local = local
        self._options = options or Options()
        self._model = EmbeddingModel(local.card.id, local.card.generation(), local.card.dimension)
        self._cache = QueryCache()
        self._transform = Transform.read(None, local.card.dimension)  # the card's own comes with the worker
        self.ready = threading.Event()
        self._changed = threading.Condition()  # guards everything below
        self._queue = RequestQueue()
        self._in_flight: dict[int, list[Item]] = {}
        self._worker: WorkerProcess | None = None
        self._state: State = "stopped"
        self._advice: str | None = None
        self._deaths = 0
        self._not_before = 0.0  # monotonic time of the next start of a worker
        self._last_use = 0.0
        self._request_number = 0
        self._thread: threading.Thread | None = None
        self._stopping = False

    # What callers use.

    @property
    def model(self) -> EmbeddingModel:
        """Name, generation and dimension; known before `start`."""
        return self._model

    @property
    def state(self) -> State:
        """ "idle" is as good as ready: the worker comes back when it is needed."""
        return self._state

    @property
    def advice(self) -> str | None:
        """Why the state is "failed", and what to do."""
        return self._advice

    @property
    def worker_pid(self) -> int | None:
        """The process id of the running worker."""
        worker = self._worker
        return worker.pid if worker else None

    def embed_query(self, text: str) -> Vectors:
        """One query; shape (1, dimension). Raises EmbeddingError; ValueError for a blank text."""
        found = self._cache.get(self._model.generation, text)
        if found is None:
            (found,) = self._embed([text], Priority.QUERY)
            self._cache.put(self._model.generation, text, found)
        return found

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text its windows in order, shape (windows, dimension). Raises EmbeddingError; ValueError for a blank text."""
        return self._embed(texts, Priority.SINGLE if len(texts) <= SMALL_CALL else Priority.BATCH)

    def start(self) -> None:
        """Start loading; returns at once. `ready` is set when the worker can embed. After "failed" it tries again."""
        with self._changed:
            if self._state in ("stopped", "failed"):
                self._reset()
            if self._thread is None:
                self._stopping = False
                self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the worker and fail what still waits. Returns when the worker is gone."""
        with self._changed:
            thread, self._thread = self._thread, None
            self._stopping = True
            self._changed.notify_all()
        if thread:
            thread.join()

    def _embed(self, texts: Sequence[str], priority: Priority) -> list[Vectors]:
        require_text(texts)
        items = [Item(text, priority) for text in texts]
        with self._changed:
            self._check_running()
            for item in items:
                self._queue.put(item)
            self._changed.notify_all()
        return [item.result.result() for item in items]

    def _check_running(self) -> None:
        if self._stopping or self._thread is None:
            raise EmbeddingError("The embedding model is not running.")
        if self._state == "failed":
            if time.monotonic() < self._not_before:
                raise EmbeddingError(self._advice or "The embedding model does not run.")
            self._reset()

    def _reset(self) -> None:
        self._state, self._advice = "starting", None
        self._deaths, self._not_before = 0, 0.0
        self._changed.notify_all()

    # The embedder's own thread.

    def _run(self) -> None:
        """Keep a worker running and busy until `stop`."""
        with self._changed:
            while not self._stopping:
                if self._worker is None and self._wants_worker():
                    self._start_worker()
                elif self._worker and (self._state == "failed" or self._idle_in() <= 0):
                    self._state = "failed" if self._state == "failed" else "idle"
                    self._end_worker()
                else:
                    # Only here: the two above let go of the lock, so that a change may have been missed.
                    self._dispatch()
                    self._check_stall()
                    self._changed.wait(self._pause())
            self._state = "stopped"
            self.ready.clear()
            self._end_worker()
            self._fail_all("OwnSona is stopping.")

    def _wants_worker(self) -> bool:
        wanted = self._state == "starting" or (self._state == "idle" and bool(self._queue))
        return wanted and time.monotonic() >= self._not_before

    def _start_worker(self) -> None:
        self._state = "starting"
        card = self._local.card
        try:
            with unlocked(self._changed):  # reading 70 MB must not hold up callers
                self._local.verify()
                self._transform = Transform.read(self._local.path(card.files.transform) if card.files.transform else None, card.dimension)
            # The lock is held from here on, so that no frame comes in before the worker is known.
            self._worker = WorkerProcess(load_order(self._local, self._options.threads), self._on_frame, self._on_end)
        except EmbeddingError as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"The embedding worker cannot be started ({error.strerror}). Install OwnSona again.")

    def _dispatch(self) -> None:
        """Give the worker one slice of each priority at a time: the next ones fill up with texts of more callers."""
        if self._state != "ready" or self._worker is None:
            return
        busy = {items[0].priority for items in self._in_flight.values()}
        for priority in Priority:
            items = [] if priority in busy else self._queue.take(priority)
            if not items:
                continue
            if not self._in_flight:
                self._worker.last_sign = time.monotonic()
            self._request_number += 1
            self._in_flight[self._request_number] = items
            self._worker.send(
                {
                    "id": self._request_number,
                    "kind": "query" if priority is Priority.QUERY else "passage",
                    "priority": int(priority),
                    "texts": [item.text for item in items],
                }
            )
            self._changed.notify_all()

    def _check_stall(self) -> None:
        if self._worker and self._stall_in() <= 0:
            log.error("the embedding worker %d gave no sign of life for %.0f s; ending it", self._worker.pid, self._options.stall_seconds)
            self._worker.kill()

    def _stall_in(self) -> float:
        """Seconds until a worker that has work, or is loading, counts as stuck."""
        if self._worker is None or (self._state == "ready" and not self._in_flight):
            return float("inf")
        return self._worker.last_sign + self._options.stall_seconds - time.monotonic()

    def _idle_in(self) -> float:
        if not self._options.idle_seconds or self._state != "ready" or self._queue or self._in_flight:
            return float("inf")
        return self._last_use + self._options.idle_seconds - time.monotonic()

    def _pause(self) -> float | None:
        """How long to wait for a change; None: as long as it takes."""
        pause = min(self._stall_in(), self._idle_in())
        if self._state == "starting" and self._worker is None:
            pause = min(pause, self._not_before - time.monotonic())
        return None if pause == float("inf") else max(pause, 0.0)

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            with unlocked(self._changed):
                worker.close()
            self._changed.notify_all()

    # The worker's reading thread.

    def _on_frame(self, worker: WorkerProcess, header: dict[str, Any], content: bytes) -> None:
        with self._changed:
            if worker is not self._worker:
                return
            if "ready" in header:
                self._on_ready(header["width"])
            elif "failed" in header:
                self._fail(f"{header['failed']} Install OwnSona again, or correct OWNSONA_EMBEDDING_MODEL.")
            elif "id" in header:
                items = self._in_flight.pop(header["id"], [])
                self._deaths = 0
                self._last_use = time.monotonic()
                if "error" in header:
                    fail(items, header["error"])
                else:
                    self._deliver(items, header["counts"], content)
            self._changed.notify_all()

    def _on_ready(self, width: int) -> None:
        if width != self._model.dimension:
            self._fail(f"The model gives vectors of {width} numbers, its card says {self._model.dimension}. Correct the card.")
        else:
            self._state, self._last_use = "ready", time.monotonic()
            self.ready.set()

    def _deliver(self, items: list[Item], counts: list[int], content: bytes) -> None:
        raw = np.frombuffer(content, np.float32).reshape(-1, self._model.dimension)
        parts = np.split(self._transform.apply(raw), np.cumsum(counts)[:-1])
        for item, vectors in zip(items, parts, strict=True):
            item.result.set_result(vectors)

    def _on_end(self, worker: WorkerProcess) -> None:
        with self._changed:
            if worker is not self._worker:
                return  # ended on purpose
            self._worker = None
            self.ready.clear()
            lost, self._in_flight = list(self._in_flight.values()), {}
            for items in lost:
                self._retry(items)
            self._deaths += 1
            log.warning("the embedding worker %d %s", worker.pid, worker.reason())
            if self._state == "failed":
                pass
            elif self._deaths >= MAX_DEATHS:
                self._fail(
                    f"The embedding worker ended {self._deaths} times in a row; the last one {worker.reason()}. Restart OwnSona; "
                    "if that does not help, install it again, so that llama.cpp is built for this computer's processor."
                )
            else:
                self._state = "starting"
                self._not_before = time.monotonic() + self._backoff()
            self._changed.notify_all()

    def _backoff(self) -> float:
        return 0.0 if self._deaths == 1 else self._options.backoff_seconds * 2.0 ** (self._deaths - 2)

    def _retry(self, items: list[Item]) -> None:
        for item in items:
            item.attempts += 1
            if item.attempts < MAX_ATTEMPTS:
                self._queue.put(item)
            else:
                fail([item], "The embedding worker ended twice while it worked on this text. See the log for the reason.")

    def _fail(self, advice: str) -> None:
        log.error("%s", advice)
        self._state, self._advice = "failed", advice
        self._not_before = time.monotonic() + RETRY_FAILED_SECONDS
        self.ready.clear()
        self._fail_all(advice)
        self._changed.notify_all()

    def _fail_all(self, reason: str) -> None:
        for items in self._in_flight.values():
            fail(items, reason)
        self._in_flight.clear()
        fail(self._queue.drain(), reason)


def load_order(local: LocalModel, threads: int) -> dict[str, Any]:
    """The first frame to a worker: which model to load, and how."""
    card, files = local.card, local.card.files
    return {
        "model": str(local.path(files.model)),
        "token_embeddings": str(local.path(files.token_embeddings)) if files.token_embeddings else None,
        "tokenizer": str(local.path(files.tokenizer)) if files.tokenizer else None,
        "pooling": card.pooling,
        "context": card.context,
        "threads": threads,
        "unicode_form": card.unicode_form,
        "prefixes": {"query": card.query_prefix, "passage": card.passage_prefix},
        "windows": card.windows.model_dump(),
    }


def fail(items: Sequence[Item], reason: str) -> None:
    """Give each caller an error of its own, so that no two threads raise the same object."""
    for item in items:
        item.result.set_exception(EmbeddingError(reason))


@contextmanager
def unlocked(lock: threading.Condition) -> Iterator[None]:
    """Let go of a lock for as long as something slow takes."""
    lock.release()
    try:
        yield
    finally:
        lock.acquire()
