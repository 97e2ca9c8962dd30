"""Texts as the lexical leg sees them: words by their stem, identifiers and numbers whole and in parts, CJK as bigrams."""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from server.memory.ports import LexicalTerms

IDENTIFIER_WEIGHT = 4
SPACE = 999_999_999  # terms are hashed to 1 … SPACE, the indices that a sparsevec can have

# Words that say nothing about a memory in the language that most of them are written in. Frequent words of other languages
# are held down by their idf alone.
STOP_WORDS = frozenset(
    "a an and are as at be been being but by can could did do does doing for from had has have having he her hers him his how i if in into"
    " is it its just me my of on or our ours she should so than that the their theirs them then there these they this those to too was"
    " we were"
    " what when where which while who whom why will with would you your yours s t d ll m re ve".split()
)

_MARKS = "".join(char for char in map(chr, range(0x300, 0x10000)) if unicodedata.category(char)[0] == "M")
_WORD = rf"(?:[^\W_]|[{re.escape(_MARKS)}])+"
# A word, or several joined by what stands inside identifiers, addresses, versions and paths.
_TOKEN = re.compile(rf"{_WORD}(?:[-_./:@#&+]{_WORD})*(?:\+\+|#)?")
_PART = re.compile(_WORD)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"['’]s(?!\w)|(?<=\w)['’](?=\w)")
_LETTERS_AND_DIGITS = re.compile(r"\d+|\D+")
_LATIN_ACCENTS = re.compile(r"[\u0300-\u036f]")
# Scripts written without spaces between words.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)

_IDENTIFIER = re.compile(r"\d[^\W\d]|[^\W\d]\d|\d[^\w\s]|[^\w\s]\d|\d{5}|[^\w\s]\w")

_stem = Stemmer.Stemmer("english").stemWord


def hash_term(term: str) -> int:
    """A term as a number from 1 to SPACE, the same on every computer."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest()) % SPACE + 1


@lru_cache(maxsize=50_000)
def _hashed(word: str) -> int:
    return hash_term(sys.intern(_stem(word) if word.isascii() and word.isalpha() else word))


def fold(text: str) -> str:
    """Compatibility forms, case and the accents of Latin, Greek and Cyrillic letters taken away."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", _LATIN_ACCENTS.sub("", unicodedata.normalize("NFD", folded)))


def words(text: str) -> Iterator[str]:
    """The terms of a text before stemming, in order, repeats included."""
    for match in _TOKEN.finditer(_POSSESSIVE.sub("", _THOUSANDS.sub("", fold(text)))):
        token = match.group()
        parts = _PART.findall(token)
        if len(parts) > 1 or token != parts[0]:
            yield token
        for part in parts:
            yield from _pieces(part)


def _pieces(part: str) -> Iterator[str]:
    rest = 0
    for run in _UNSPACED.finditer(part):
        yield from _spaced(part[rest : run.start()])
        chars = run.group()
        yield from (chars[i : i + 2] for i in range(max(1, len(chars) - 1)))
        rest = run.end()
    yield from _spaced(part[rest:])


def _spaced(word: str) -> Iterator[str]:
    if not word or word in STOP_WORDS:
        return
    yield word
    runs = _LETTERS_AND_DIGITS.findall(word)
    if len(runs) > 1:
        yield from runs


def query_terms(text: str) -> LexicalTerms:
    """The terms of a query: an identifier, which nothing else means, counts for several words."""
    counts: Counter[int] = Counter()
    for word in words(text):
        counts[_hashed(word)] += IDENTIFIER_WEIGHT if _IDENTIFIER.search(word) else 1
    return LexicalTerms(counts, counts.total())


def terms(text: str) -> LexicalTerms:
    """Hashed terms with their counts, and the length in terms."""
    counts = Counter(map(_hashed, words(text)))
    return LexicalTerms(counts, counts.total())
