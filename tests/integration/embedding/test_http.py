"""An embedding service over a real loopback connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from server.embedding.client import LocalEmbedder
from server.embedding.http import INPUTS, WINDOW_CHARACTERS, HttpEmbedder, endpoint
from server.embedding.service import open_embedder
from server.memory.ports import EmbeddingError
from server.settings import Settings


class Service(ThreadingHTTPServer):
    """Answers with vectors that tell the text's length and first letter; what it says can be changed by a test."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []
        self.answer: tuple[int, Any] | None = None
        self.width = 3

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        status, answer = self.server.answer or (200, {"data": self.vectors(body["input"])})
        content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def vectors(self, texts: list[str]) -> list[dict[str, Any]]:
        found = [
            {"index": place, "embedding": [len(text), ord(text[0]), *[1.0] * (self.server.width - 2)]} for place, text in enumerate(texts)
        ]
        return found[::-1]  # the order is in "index"

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def embedder(service: Service) -> Iterator[HttpEmbedder]:
    started = HttpEmbedder(service.url, "some-model", "key-1")
    started.start()
    assert started.ready.wait(20)
    yield started
    started.stop()


def unit(*values: float) -> Any:
    return np.array(values) / np.linalg.norm(values)


def test_the_dimension_comes_from_the_first_answer(service: Service, embedder: HttpEmbedder) -> None:
    assert (embedder.model.name, embedder.model.dimension, embedder.state) == ("some-model", 3, "ready")
    assert len(embedder.model.generation) == 16
    path, key, body = service.requests[0]
    assert (path, key, body["model"]) == ("/v1/embeddings", "Bearer key-1", "some-model")


def test_vectors_are_unit_vectors_in_the_order_of_the_texts(embedder: HttpEmbedder) -> None:
    found = embedder.embed_passages(["a", "bb", "ccc"])
    for vectors, text in zip(found, ["a", "bb", "ccc"], strict=True):
        np.testing.assert_allclose(vectors, [unit(len(text), ord(text[0]), 1)], rtol=1e-5)
    assert embedder.embed_passages([]) == []


def test_long_texts_have_windows_and_many_texts_several_requests(service: Service, embedder: HttpEmbedder) -> None:
    found = embedder.embed_passages(["x" * 5000, *["short"] * (2 * INPUTS)])
    assert [len(vectors) for vectors in found] == [5, *[1] * (2 * INPUTS)]
    inputs = [len(body["input"]) for _, _, body in service.requests[1:]]
    assert inputs == [INPUTS, INPUTS, 5]
    assert max(len(text) for _, _, body in service.requests for text in body["input"]) == WINDOW_CHARACTERS


def test_a_query_is_asked_once(service: Service, embedder: HttpEmbedder) -> None:
    assert embedder.embed_query("where?") is embedder.embed_query("where?")
    assert len(service.requests) == 2
    with pytest.raises(ValueError, match="blank"):
        embedder.embed_query(" ")


@pytest.mark.parametrize(
    ("status", "answer", "message", "detail"),
    [
        (401, {"error": {"message": "bad key"}}, "401.*OWNSONA_EMBEDDING_API_KEY", "401 bad key"),
        (404, {"error": "no such model"}, "404.*OWNSONA_EMBEDDING_MODEL", "404 no such model"),
        (429, "slow down", "429.*later", "429 slow down"),
        (500, {"oops": 1}, "500.*own log", '500 {"oops": 1}'),
    ],
)
def test_an_error_says_what_to_do_and_keeps_the_service_s_words_apart(
    service: Service, embedder: HttpEmbedder, status: int, answer: object, message: str, detail: str
) -> None:
    service.answer = (status, answer)
    with pytest.raises(EmbeddingError, match=message) as raised:
        embedder.embed_passages(["a text that nobody may see"])
    assert raised.value.detail == detail
    assert "nobody" not in str(raised.value)
    assert "key-1" not in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("no JSON", "form of the OpenAI API"),
        ({"data": [{"index": 0}]}, "form of the OpenAI API"),
        ({"data": [{"index": 0, "embedding": [1, "x", 3]}]}, "form of the OpenAI API"),
        ({"data": []}, "cannot be used"),
        ({"data": [{"index": 0, "embedding": [0, 0, 0]}]}, "cannot be used"),
        ({"data": [{"index": 0, "embedding": [1, 2, 3, 4]}]}, "another model"),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_error(service: Service, embedder: HttpEmbedder, answer: object, message: str) -> None:
    service.answer = (200, answer)
    with pytest.raises(EmbeddingError, match=message):
        embedder.embed_passages(["text"])


def test_a_service_that_does_not_run_is_reported_and_stop_does_not_wait_for_it(service: Service) -> None:
    service.server_close()
    lost = HttpEmbedder(service.url.replace("127.0.0.1", "person:secret@127.0.0.1"))
    lost.start()
    with pytest.raises(EmbeddingError, match="cannot be reached") as raised:
        lost.embed_query("anything")
    assert "secret" not in str(raised.value)
    with pytest.raises(EmbeddingError):
        _ = lost.model
    lost.stop()
    assert lost.state == "stopped"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/embeddings"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/embeddings"),
        ("https://example.org/api/v1/", "https://example.org/api/v1/embeddings"),
        ("https://example.org/x/embeddings?version=2", "https://example.org/x/embeddings?version=2"),
    ],
)
def test_the_address_may_be_short_or_whole(url: str, expected: str) -> None:
    assert str(endpoint(url)) == expected


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://example.org", "http://", "http://example.org:port"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(EmbeddingError, match="OWNSONA_EMBEDDING_URL"):
        HttpEmbedder(url)


def test_generations_differ_by_service_and_model(service: Service) -> None:
    def generation(url: str, model: str) -> str:
        made = HttpEmbedder(url, model)
        made.embed_query("dimension")
        made.stop()
        return made.model.generation

    assert generation(service.url, "a") == generation(service.url + "/v1", "a") != generation(service.url, "b")


def test_the_settings_choose_the_embedder(service: Service) -> None:
    assert isinstance(open_embedder(Settings.read({})), LocalEmbedder)
    chosen = open_embedder(Settings.read({}, embedding_url=service.url))
    assert isinstance(chosen, HttpEmbedder)
    chosen.stop()
    with pytest.raises(EmbeddingError, match="OWNSONA_EMBEDDING_MODEL"):
        open_embedder(Settings.read({}, embedding_model="no-such-model"))
