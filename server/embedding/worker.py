"""The embedding worker: a process that turns texts into raw vectors, and ends when the server's end of its stdin closes.

    python -m server.embedding.worker      # started by process.py, never by hand

It reads frames (frames.py) from stdin and writes frames to stdout. The first frame is the order to load a model and is
answered by {"ready": true} or {"failed": reason}. Then each request {"id", "kind", "priority", "texts"} is answered by
{"id", "counts"} with all vectors as float32, or by {"id", "error"}. Requests of a lower `priority` number overtake others
between two batches. While it computes for long, {"alive": true} says that it has not stopped.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from server.embedding.frames import FrameError, read_frame, write_frame
from server.embedding.llama import MAX_SEQUENCES, Encoder, ModelError
from server.embedding.tokenizer import Form, GgufTokenizer, SentencePieceTokenizer, Tokenizer, clean
from server.embedding.windows import pack, spans

BATCH_TOKENS = 192  # attention runs over a whole batch: larger ones are slower, smaller ones waste the start of each
ALIVE_SECONDS = 1.0
MEMORY_LIMIT = 1 << 30  # bytes of private memory; mapped model files come on top


@dataclass(slots=True)
class Job:
    """One request on its way: its windows, and the batches that are still to compute."""

    id: int
    priority: int
    counts: list[int]  # windows of each text
    windows: list[list[int]]
    batches: list[list[int]]  # indices of `windows`; the last one is next
    vectors: list[bytes] = field(default_factory=list)


class Model:
    """A loaded model with its tokenizer, as the load order describes them."""

    def __init__(self, order: dict[str, Any]) -> None:
        embeddings = order["token_embeddings"]
        self.encoder = Encoder(
            Path(order["model"]),
            Path(embeddings) if embeddings else None,
            pooling=order["pooling"],
            context=order["context"],
            threads=order["threads"],
        )
        self.form: Form | None = order["unicode_form"]
        self.tokenizer: Tokenizer = (
            SentencePieceTokenizer(Path(order["tokenizer"]))
            if order["tokenizer"]
            else GgufTokenizer(self.encoder.library, self.encoder.model)
        )
        self.prefixes = {kind: self.tokenizer.ids(prefix.rstrip()) for kind, prefix in order["prefixes"].items()}
        self.size: int = order["windows"]["tokens"]
        self.overlap: int = order["windows"]["overlap"]

    def windows(self, kind: str, text: str) -> list[list[int]]:
        """The token windows of one text, each with start, prefix and end. A query has one: what is too long is cut."""
        prefix = self.prefixes[kind]
        ids = self.tokenizer.ids(clean(text, self.form))
        extra = len(prefix) + 2
        cut = [(0, self.encoder.context_size - extra)]
        parts = cut if kind == "query" else spans(len(ids), self.size - extra, self.overlap)
        return [[self.tokenizer.start, *prefix, *ids[start:end], self.tokenizer.end] for start, end in parts]

    def job(self, request: dict[str, Any]) -> Job:
        """Tokenise a request and plan its batches."""
        per_text = [self.windows(request["kind"], text) for text in request["texts"]]
        windows = [window for windows in per_text for window in windows]
        batches = pack([len(window) for window in windows], min(BATCH_TOKENS, self.encoder.context_size), MAX_SEQUENCES)
        job = Job(request["id"], request["priority"], [len(windows) for windows in per_text], windows, batches)
        job.vectors = [b""] * len(windows)
        return job

    def step(self, job: Job) -> None:
        """Compute the next batch of a job."""
        batch = job.batches.pop()
        for index, vector in zip(batch, self.encoder.encode([job.windows[index] for index in batch]), strict=True):
            job.vectors[index] = vector


class Worker:
    """Answers requests from a queue that another thread fills."""

    def __init__(self, model: Model, requests: queue.SimpleQueue[dict[str, Any]], out: BinaryIO) -> None:
        self.model, self.requests, self.out = model, requests, out
        self.jobs: list[Job] = []
        self.last_sign = time.monotonic()

    def run(self) -> None:
        """Work for ever; the reading thread ends the process."""
        while True:
            self.accept()
            job = min(self.jobs, key=lambda job: job.priority)
            try:
                self.model.step(job)
            except ModelError as error:
                self.jobs.remove(job)
                self.send({"id": job.id, "error": str(error)})
                continue
            if not job.batches:
                self.jobs.remove(job)
                self.send({"id": job.id, "counts": job.counts}, b"".join(job.vectors))
            elif time.monotonic() - self.last_sign > ALIVE_SECONDS:
                self.send({"alive": True})

    def accept(self) -> None:
        """Take in all requests that have come; wait for one if there is nothing to do."""
        while True:
            try:
                request = self.requests.get(block=not self.jobs)
            except queue.Empty:
                return
            self.jobs.append(self.model.job(request))

    def send(self, header: dict[str, Any], content: bytes = b"") -> None:
        self.last_sign = time.monotonic()
        write_frame(self.out, header, content)


def read_requests(stream: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Fill the queue. At the end of the stream the server is gone: end the process, also in the middle of a computation."""
    with contextlib.suppress(FrameError, OSError):
        while frame := read_frame(stream):
            requests.put(frame[0])
    os._exit(0)


def limit_memory(files: list[Path]) -> None:
    """Let an allocation fail before it takes the computer down. Windows and macOS have no such limit."""
    if sys.platform == "linux":
        import resource

        limit = MEMORY_LIMIT + sum(path.stat().st_size for path in files)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def protocol_stream() -> BinaryIO:
    """The stream to the server. What a library prints goes to stderr from now on and cannot break a frame."""
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return stream


def main() -> None:
    """Load the model, then work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; the server stops its worker itself
    out = protocol_stream()
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    order = requests.get()
    try:
        limit_memory([Path(order[name]) for name in ("model", "token_embeddings") if order[name]])
        model = Model(order)
    except (ModelError, OSError, RuntimeError) as error:
        write_frame(out, {"failed": str(error)})
        os._exit(1)  # the other thread sits in a read, which an orderly exit would stumble over
    write_frame(out, {"ready": True, "width": model.encoder.width})
    try:
        Worker(model, requests, out).run()
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
