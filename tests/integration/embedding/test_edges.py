"""Texts at which a bare llama.cpp would abort, fail or embed the wrong thing."""

from __future__ import annotations

import logging

import numpy as np
import psutil
import pytest

from server.embedding.client import LocalEmbedder
from tests.integration.embedding.conftest import worker_of

FILLER = "The quarterly report lists deliveries, prices and delays of the warehouse in the north. "
FACT = "Anna's locker code at the swimming pool is four nine two seven."


def long_text(characters: int) -> str:
    return (FILLER * (characters // len(FILLER) + 1))[:characters]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\0", "\u3000"])
def test_a_blank_text_is_the_caller_s_mistake(embedder: LocalEmbedder, text: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        embedder.embed_query(text)
    with pytest.raises(ValueError, match="blank"):
        embedder.embed_passages(["fine", text])


def test_no_texts_give_no_vectors(embedder: LocalEmbedder) -> None:
    assert embedder.embed_passages([]) == []


ODD = {
    "lone surrogate": "lone \ud83d surrogate",
    "NUL": "NUL \0 inside",
    "unassigned and private": "\ufffd\ue000\uffff",
    "only invisible": "\u200b\u2060",
    "one long word": "a" * 3000,
    "one long Hangul word": "한" * 3000,
    "emoji": "🙂" * 600,
    "combining marks": "\u0301" * 700,
    "control characters": "\x07\x1b[0m",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_texts_get_finite_vectors(embedder: LocalEmbedder, text: str) -> None:
    (vectors,) = embedder.embed_passages([text])
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert np.isfinite(embedder.embed_query(text)).all()


def test_a_joined_surrogate_pair_is_the_character(embedder: LocalEmbedder) -> None:
    pair, character = embedder.embed_passages(["good \ud83d\ude00", "good \U0001f600"])
    assert pair[0] @ character[0] > 0.999


def test_a_long_text_has_windows_in_order(embedder: LocalEmbedder) -> None:
    (vectors,) = embedder.embed_passages([long_text(16_000)])
    assert 15 < len(vectors) < 60


@pytest.mark.parametrize("place", [0, 8_000, 15_900])
def test_a_fact_is_found_wherever_it_stands(embedder: LocalEmbedder, place: int) -> None:
    note = long_text(place) + " " + FACT + " " + long_text(16_000 - place - len(FACT))
    (with_fact, without) = embedder.embed_passages([note[:16_000], long_text(16_000)])
    query = embedder.embed_query("What is the code of Anna's locker?")[0]
    best = int((with_fact @ query).argmax())
    assert (with_fact @ query).max() > (without @ query).max() + 0.1
    assert abs(best / (len(with_fact) - 1) - place / 16_000) < 0.15


def test_a_query_longer_than_the_context_is_cut(embedder: LocalEmbedder) -> None:
    assert embedder.embed_query(long_text(16_000)).shape == (1, 384)


def test_long_and_short_texts_in_one_call(embedder: LocalEmbedder) -> None:
    lengths = [20, 2_000, 40, 1_000, 60] * 4
    found = embedder.embed_passages([long_text(length) for length in lengths])
    assert [len(vectors) > 1 for vectors in found] == [length > 900 for length in lengths]


def test_the_worker_stays_small(embedder: LocalEmbedder) -> None:
    embedder.embed_passages([long_text(20_000), *(f"short {number}" for number in range(100))])
    assert psutil.Process(worker_of(embedder)).memory_info().rss < 220 << 20


def test_the_worker_says_nothing_and_no_text_is_logged(embedder: LocalEmbedder, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        embedder.embed_passages(["A secret that nobody may read in a log."])
    assert not caplog.records
