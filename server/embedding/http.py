"""An embedding service with the OpenAI API in place of the local model (OWNSONA_EMBEDDING_URL)."""

from __future__ import annotations

import hashlib
import ipaddress
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import httpx2
import numpy as np
from numpy.typing import NDArray

from server.embedding.cache import QueryCache
from server.embedding.requests import require_text
from server.embedding.transform import unit
from server.embedding.windows import spans
from server.memory.ports import EmbeddingError, EmbeddingModel, Vectors

log = logging.getLogger(__name__)

WINDOW_CHARACTERS, OVERLAP_CHARACTERS = 1200, 200  # the service's tokens are not known
INPUTS = 64  # texts in one request
TIMEOUT_SECONDS = 60.0
PROBE_SECONDS = 15.0  # between two tries to reach a service that does not answer
SCHEME = 1  # raise it when the code changes what vectors the same service gives

ADVICE = {
    401: "Check OWNSONA_EMBEDDING_API_KEY.",
    403: "Check OWNSONA_EMBEDDING_API_KEY.",
    404: "Check OWNSONA_EMBEDDING_URL and OWNSONA_EMBEDDING_MODEL.",
    429: "It takes no more requests for now; try again later.",
}

State = Literal["stopped", "starting", "ready", "failed"]


def endpoint(url: str) -> httpx2.URL:
    """The address of the embeddings call: `url` may be the server, its `/v1`, or the whole. Raises EmbeddingError."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise EmbeddingError("OWNSONA_EMBEDDING_URL is not a URL.") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise EmbeddingError("OWNSONA_EMBEDDING_URL must start with http:// or https:// and name a host.")
    path = parsed.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path.endswith("/v1") else "/v1/embeddings"
    return parsed.copy_with(path=path)


def is_loopback(host: str) -> bool:
    """Whether a host is this computer."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class HttpEmbedder:
    """Implements `server.memory.ports.Embedder` over HTTP. The dimension comes from the first answer."""

    def __init__(self, url: str, model: str | None = None, api_key: str | None = None) -> None:
        """Raises EmbeddingError for an address that cannot be used. Nothing is sent before `start`."""
        self._url = endpoint(url)
        self._name = model or "default"
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=TIMEOUT_SECONDS,
            trust_env=not is_loopback(self._url.host),  # a proxy has no business between two programs of one computer
        )
        key = f"{SCHEME}\n{self._url}\n{self._name}\n{WINDOW_CHARACTERS}\n{OVERLAP_CHARACTERS}"
        self._generation = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._cache = QueryCache()
        self._model: EmbeddingModel | None = None
        self._advice: str | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.ready = threading.Event()

    @property
    def model(self) -> EmbeddingModel:
        """Name, generation and dimension. Raises EmbeddingError before the service has answered once."""
        if self._model is None:
            raise EmbeddingError(self._advice or f"The embedding service at {self._url.host} has not answered yet.")
        return self._model

    @property
    def state(self) -> State:
        """A service that does not answer is tried again and again."""
        if self.ready.is_set():
            return "ready"
        if self._thread is None:
            return "stopped"
        return "failed" if self._advice else "starting"

    @property
    def advice(self) -> str | None:
        """Why the state is "failed", and what to do."""
        return self._advice

    def start(self) -> None:
        """Ask for the dimension in the background; returns at once. `ready` is set when the service has answered."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._probe, name="embedding-probe", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Close all connections."""
        self._stopping.set()
        self._client.close()
        if self._thread:
            self._thread.join()
            self._thread = None
        self.ready.clear()

    def embed_query(self, text: str) -> Vectors:
        """One query; shape (1, dimension). Raises EmbeddingError; ValueError for a blank text."""
        found = self._cache.get(self._generation, text)
        if found is None:
            require_text([text])
            found = self._request([text[:WINDOW_CHARACTERS]])
            self._cache.put(self._generation, text, found)
        return found

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text its windows in order, shape (windows, dimension). Raises EmbeddingError; ValueError for a blank text."""
        require_text(texts)
        windows = [[text[start:end] for start, end in spans(len(text), WINDOW_CHARACTERS, OVERLAP_CHARACTERS)] for text in texts]
        inputs = [window for parts in windows for window in parts]
        if not inputs:
            return []
        vectors = np.concatenate([self._request(part) for part in slices(inputs)])
        return np.split(vectors, np.cumsum([len(parts) for parts in windows])[:-1])

    def _probe(self) -> None:
        while not self._stopping.is_set():
            try:
                self._request(["dimension"])
            except EmbeddingError as error:
                if not self._stopping.is_set():
                    self._advice = str(error)
                    log.warning("%s", error)
                    self._stopping.wait(PROBE_SECONDS)
            else:
                return

    def _request(self, inputs: Sequence[str]) -> Vectors:
        try:
            response = self._client.post(self._url, json={"model": self._name, "input": list(inputs), "encoding_format": "float"})
        except (httpx2.TransportError, RuntimeError) as error:  # RuntimeError: the client was closed by stop()
            raise EmbeddingError(
                f"The embedding service at {self._url.host} cannot be reached ({type(error).__name__}). Check that it runs, and "
                "OWNSONA_EMBEDDING_URL."
            ) from None  # the cause may hold the address with a password
        if response.status_code != 200:
            raise EmbeddingError(
                f"The embedding service at {self._url.host} answered {response.status_code}. "
                + ADVICE.get(response.status_code, "See the service's own log."),
                detail=f"{response.status_code} {provider_message(response)}".strip(),
            )
        return self._vectors(response, len(inputs))

    def _vectors(self, response: httpx2.Response, count: int) -> Vectors:
        try:
            data = sorted(response.json()["data"], key=lambda item: item["index"])
            vectors = np.array([item["embedding"] for item in data], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise EmbeddingError(f"The embedding service at {self._url.host} did not answer in the form of the OpenAI API.") from error
        if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1] or not usable(vectors):
            raise EmbeddingError(f"The embedding service at {self._url.host} answered with vectors that cannot be used.")
        if self._model is None:
            self._model = EmbeddingModel(self._name, self._generation, vectors.shape[1])
            self._advice = None
            self.ready.set()
        if vectors.shape[1] != self._model.dimension:
            raise EmbeddingError(
                f"The embedding service at {self._url.host} answered with {vectors.shape[1]} numbers a text instead of "
                f"{self._model.dimension}: it runs another model now. Restart OwnSona."
            )
        return unit(vectors)


def usable(vectors: NDArray[np.float32]) -> bool:
    """Whether all rows have a direction."""
    return bool(np.isfinite(vectors).all() and (np.linalg.norm(vectors, axis=1) > 0).all())


def slices(inputs: Sequence[str]) -> Iterator[Sequence[str]]:
    """The inputs in requests of a size that services take."""
    for start in range(0, len(inputs), INPUTS):
        yield inputs[start : start + INPUTS]


def provider_message(response: httpx2.Response) -> str:
    """What the service says about an error: the API's message, or the start of the body."""
    try:
        body: Any = response.json()
    except ValueError:
        return response.text[:300]
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return str(message or response.text)[:300]
