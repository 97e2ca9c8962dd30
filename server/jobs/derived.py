"""One thread that keeps derived data fresh: woken after changes, and now and then by itself."""

from __future__ import annotations

import logging
import threading
import time

from server.memory.ports import Embedder, EmbeddingError, StoreError
from server.store import maintenance
from server.store.database import Database
from server.store.derived import ModelRow

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.5  # after the last change of a burst
SHARE = 0.05  # of the time at most, while there are changes all the time: a round reads whole tables
IDLE_SECONDS = 60.0  # another server may have changed something
EMBED_AT_ONCE = 64


class DerivedJobs:
    """Recounts terms, builds the vector index, embeds what has no vectors, and clears the files after hard deletes."""

    def __init__(self, database: Database, owner_id: int, model: ModelRow, embedder: Embedder) -> None:
        self._database = database
        self._owner_id = owner_id
        self._model = model
        self._embedder = embedder
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._vacuum = threading.Event()
        self._thread = threading.Thread(target=self._run, name="derived jobs", daemon=True)

    def start(self) -> None:
        """Begin with a first round at once."""
        self._wake.set()
        self._thread.start()

    def stop(self) -> None:
        """End after the round at hand; an index build is left to finish or be dropped at the next start."""
        self._stopped.set()
        self._wake.set()
        self._thread.join(timeout=2.0)

    def changed(self, *, erased: bool = False) -> None:
        """Something was written; `erased` asks for a VACUUM too."""
        if erased:
            self._vacuum.set()
        self._wake.set()

    def _run(self) -> None:
        rested = 0.0  # monotonic time from which the next round may begin
        while not self._stopped.is_set():
            self._wake.wait(IDLE_SECONDS)
            if self._stopped.wait(max(SETTLE_SECONDS, rested - time.monotonic())):
                return
            self._wake.clear()
            began = time.monotonic()
            try:
                self.once()
            except (StoreError, EmbeddingError) as error:
                log.warning("background work waits for the next round: %s", error)
            except Exception as error:  # noqa: BLE001 - the boundary of the thread: it must live on
                log.error("background work failed with %s", type(error).__name__)
            ended = time.monotonic()
            rested = ended + min((ended - began) / SHARE, IDLE_SECONDS)

    def once(self) -> None:
        """One round of everything that is due."""
        if maintenance.recount(self._database, self._owner_id):
            log.info("counted the terms of all memories again")
        self._embed_missing()
        if maintenance.build_index(self._database, self._owner_id, self._model):
            log.info("built the vector index")
        if self._vacuum.is_set():
            self._vacuum.clear()
            try:
                maintenance.vacuum(self._database)
            except StoreError:
                self._vacuum.set()  # for the next round
                raise

    def _embed_missing(self) -> None:
        while not self._stopped.is_set():
            rows = maintenance.without_vectors(self._database, self._owner_id, self._model, EMBED_AT_ONCE)
            if not rows:
                return
            vectors = self._embedder.embed_passages([text for _, text in rows])
            made = [(memory_id, text, found) for (memory_id, text), found in zip(rows, vectors, strict=True)]
            maintenance.add_vectors(self._database, self._owner_id, self._model, made)
            log.info("embedded %d memories again", len(made))
