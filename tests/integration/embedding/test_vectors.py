"""What the vectors of the default model are.

4-bit weights are multiplied by 8-bit activations, and llama.cpp rounds these a little differently for one row and for
many. So the same text has a cosine of 0.9996 and more with itself in other company, and bytes are equal in the same.
"""

from __future__ import annotations

import base64
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from server.embedding.cards import LocalModel, find_card
from server.embedding.client import LocalEmbedder
from server.embedding.tokenizer import SentencePieceTokenizer
from tests.integration.embedding.conftest import Start

SAME = 0.999

PAIRS = [
    ("Anna lives in Berlin.", "Berlin is where Anna lives.", "The printer needs new toner."),
    ("저는 서울에 살고 있습니다.", "제가 사는 곳은 서울입니다.", "오늘 점심은 비빔밥을 먹었다."),
    ("मैं दिल्ली में रहता हूँ।", "मेरा घर दिल्ली में है।", "कल बारिश होगी।"),
    ("我住在北京。", "我的家在北京。", "打印机需要新的墨粉。"),
]


@pytest.fixture(scope="module")
def tokenizer() -> SentencePieceTokenizer:
    local = find_card(None)
    assert local.card.files.tokenizer is not None
    return SentencePieceTokenizer(local.path(local.card.files.tokenizer))


def without_transform(local: LocalModel) -> LocalModel:
    files = local.card.files.model_copy(update={"transform": None})
    return replace(local, card=local.card.model_copy(update={"files": files}))


def test_ids_are_those_of_the_original_vocabulary(tokenizer: SentencePieceTokenizer, reference: list[dict[str, Any]]) -> None:
    assert (tokenizer.start, tokenizer.end) == (0, 2)
    for entry in reference:
        assert tokenizer.ids(entry["text"]) == entry["ids"], entry["text"]
    assert tokenizer.ids("안녕하세요") == [107687]


def test_a_prefix_of_its_own_gives_the_ids_of_the_whole(tokenizer: SentencePieceTokenizer, reference: list[dict[str, Any]]) -> None:
    for entry in reference:
        assert tokenizer.ids("passage: " + entry["text"]) == tokenizer.ids("passage:") + entry["ids"]


@pytest.mark.parametrize("text", ["안녕하세요", "Crème brûlée", "Việt Nam", "がぎぐ", "ÅÖÜ"])
def test_composed_and_decomposed_letters_are_the_same(tokenizer: SentencePieceTokenizer, text: str) -> None:
    assert tokenizer.ids(unicodedata.normalize("NFD", text)) == tokenizer.ids(unicodedata.normalize("NFC", text))


def test_special_tokens_in_a_text_are_plain_text(tokenizer: SentencePieceTokenizer) -> None:
    ids = tokenizer.ids("<mask> <s> </s> <pad> <unk>")
    assert not {0, 1, 2, 250001} & set(ids)


def test_vectors_are_those_of_the_whole_model(start: Start, reference: list[dict[str, Any]]) -> None:
    raw = start(local=without_transform(find_card(None)))
    found = raw.embed_passages([entry["text"] for entry in reference])
    for entry, vectors in zip(reference, found, strict=True):
        expected = np.frombuffer(base64.b64decode(entry["vector"]), "<f2").astype(np.float32)
        assert vectors.shape == (1, 384)
        assert vectors[0] @ expected > 0.9999, entry["text"]


@pytest.mark.parametrize(("text", "paraphrase", "other"), PAIRS)
def test_paraphrases_are_near_and_other_texts_are_far(embedder: LocalEmbedder, text: str, paraphrase: str, other: str) -> None:
    one, two, three = (vectors[0] for vectors in embedder.embed_passages([text, paraphrase, other]))
    assert one @ two > 0.75
    assert one @ three < 0.5
    assert embedder.embed_query(text)[0] @ two > embedder.embed_query(text)[0] @ three


def test_vectors_have_unit_length_and_the_card_s_dimension(embedder: LocalEmbedder) -> None:
    (passage,), query = embedder.embed_passages(["One passage."]), embedder.embed_query("One query?")
    assert passage.shape == query.shape == (1, embedder.model.dimension)
    assert passage.dtype == query.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm([passage[0], query[0]], axis=1), 1, rtol=1e-5)


def test_a_text_s_vector_does_not_depend_on_its_company(embedder: LocalEmbedder) -> None:
    texts = [f"Memory number {number}: " + "it goes on and on " * (number % 7) for number in range(200)]
    together = np.concatenate(embedder.embed_passages(texts))
    assert together.shape == (200, 384)
    for number in (0, 3, 100, 199):
        assert together[number] @ embedder.embed_passages([texts[number]])[0][0] > SAME


def test_the_same_call_gives_the_same_bytes(embedder: LocalEmbedder) -> None:
    texts = ["Anna lives in Berlin.", "Bob has a bicycle."]
    first, second = embedder.embed_passages(texts), embedder.embed_passages(texts)
    assert [vectors.tobytes() for vectors in first] == [vectors.tobytes() for vectors in second]


def test_many_threads_get_their_own_vectors(embedder: LocalEmbedder) -> None:
    texts = [f"Thread number {number} writes this." for number in range(40)]
    expected = np.concatenate(embedder.embed_passages(texts))
    with ThreadPoolExecutor(8) as pool:
        found = np.concatenate([vectors[0] for vectors in pool.map(lambda text: embedder.embed_passages([text]), texts)])
    assert ((expected * found).sum(axis=1) > SAME).all()


def test_a_query_is_computed_once(embedder: LocalEmbedder) -> None:
    assert embedder.embed_query("What does Anna drink?") is embedder.embed_query("What does Anna drink?")
