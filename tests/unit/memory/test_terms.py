"""Terms of the lexical leg: what must be found again by its exact form."""

from __future__ import annotations

import pytest

from server.memory.terms import SPACE, hash_term, terms, words


def shared(query: str, text: str) -> bool:
    return bool(terms(query).counts.keys() & terms(text).counts.keys())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("INV-2024/0815", "Invoice inv-2024/0815 was paid"),
        ("0815", "Invoice INV-2024/0815 was paid"),
        ("1234.50", "It cost 1,234.50 EUR"),
        ("v1.2.3", "We ship V1.2.3 today"),
        ("zoe", "Zoë called"),
        ("Müller", "MULLER GmbH"),
        ("zoe@example.org", "Write to Zoe@Example.org."),
        ("running", "He runs"),
        ("RTX 4090", "An RTX4090 is in the box"),
        ("北京", "我住在北京市"),
        ("北京市", "我2019年住在北京"),
        ("東京タワー", "昨日東京タワーに行った"),
        ("서울", "나는 서울에 산다"),
        ("ภาษา", "ฉันเรียนภาษาไทย"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("Colby's", "Colby lives here"),
        ("O’Brien", "Mr. O'Brien"),
        ("C++", "She writes C++ and Rust"),
        ("ﬁle", "file"),
        ("Ｆｕｌｌ", "full"),
        ("Καφές", "ΚΑΦΈΣ"),
        ("ёлка", "Елка"),
    ],
)
def test_found_by(query: str, text: str) -> None:
    assert shared(query, text)


@pytest.mark.parametrize(("query", "text"), [("not", "the"), ("1234", "12345"), ("上海", "我住在北京市"), ("c#", "c++ only, no sharp")])
def test_not_found_by(query: str, text: str) -> None:
    whole = {word for word in words(query) if not word.isalpha() or len(word) > 1}
    assert not whole & set(words(text))


def test_stop_words_and_signs_are_no_terms() -> None:
    assert terms("What is the … of it?!").length == 0
    assert terms("").length == 0


def test_hash_is_stable_and_within_the_space() -> None:
    assert hash_term("colby") == hash_term("colby")
    assert all(1 <= hash_term(str(n)) <= SPACE for n in range(1000))


def test_counts_and_length() -> None:
    found = terms("tea tea coffee")
    assert sorted(found.counts.values()) == [1, 2]
    assert found.length == 3


def test_long_and_odd_texts_are_fast_enough() -> None:
    assert terms("a" * 16000).length == 1
    assert terms("日" * 16000).length == 15999
    assert terms("-" * 16000).length == 0
    assert terms("a-" * 8000 + "b").length > 0
