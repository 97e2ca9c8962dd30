"""Cleaning of texts before they are tokenised."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from server.embedding.tokenizer import MAX_CHARACTERS, clean


def test_lone_surrogates_are_replaced_and_pairs_are_joined() -> None:
    assert clean("a\ud83db") == "a\ufffdb"
    assert clean("a\ude00") == "a\ufffd"
    assert clean("\ud83d\ude00") == "\U0001f600"


def test_nul_is_removed() -> None:
    assert clean("a\0b") == "ab"


def test_a_text_is_cut_at_a_million_characters() -> None:
    assert len(clean("x" * (MAX_CHARACTERS + 5))) == MAX_CHARACTERS


def test_the_card_decides_on_the_unicode_form() -> None:
    assert clean("한", "NFD") == unicodedata.normalize("NFD", "한") != "한"
    assert clean("e\u0301") == "e\u0301"


@given(st.text(st.characters(codec=None), max_size=200))
def test_a_clean_text_can_always_be_encoded(text: str) -> None:
    clean(text).encode()
