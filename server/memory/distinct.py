"""Near-duplicate guard: texts that differ in numbers, dates, names, addresses or negation say different things.

It errs on the side of "different": taking a paraphrase for a new fact costs a line in a list, the opposite loses a fact.
"""

from __future__ import annotations

import re
from collections import Counter

from server.memory.terms import STOP_WORDS, fold

_TOKEN = re.compile(r"https?://\S+|[^\s,;!?()\[\]{}\"“”„«»]+")
_EDGES = ".:'’‘`*-–—"
NEGATIONS = frozenset(
    "no not never none nothing nobody neither nor without cannot isnt arent wasnt werent dont doesnt didnt wont cant couldnt shouldnt "
    "wouldnt hasnt havent hadnt stopped quit former formerly kein keine keinen keiner keinem nicht nie niemals ohne"
    " non pas jamais sans ni nunca"
    " sin jamás ningún ninguna не нет никогда без não nunca sem".split()
)
COUNTED = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve first second third fourth fifth once twice half"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november"
    " december today yesterday tomorrow morning evening am pm eins zwei drei vier fünf sechs sieben acht neun zehn montag dienstag mittwoch"
    " donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember".split()
)


def _tokens(text: str) -> list[tuple[str, str]]:
    """Each token as it is written and folded."""
    found = (token.strip(_EDGES) for token in _TOKEN.findall(text))
    return [(token, fold(token)) for token in found if token]


def differences(left: str, right: str) -> list[str]:
    """The words, as written, that make two similar texts say different things; empty where nothing does."""
    a, b = _tokens(left), _tokens(right)
    counts_a, counts_b = Counter(folded for _, folded in a), Counter(folded for _, folded in b)
    only = (counts_a - counts_b) | (counts_b - counts_a)
    return list(dict.fromkeys(written for written, folded in (*a, *b) if folded in only and _tells(written, folded)))


def _tells(written: str, folded: str) -> bool:
    plain = folded.replace("'", "").replace("’", "")
    if plain in NEGATIONS or plain in COUNTED or (plain.endswith("nt") and ("'" in written or "’" in written)):
        return True
    if any(char.isdigit() for char in written) or "@" in written or "://" in written or "/" in written:
        return True
    # Scripts without capitals: any word may be a name.
    if any(char.isalpha() and not char.isupper() and not char.islower() for char in written):
        return True
    return any(char.isupper() for char in written) and plain not in STOP_WORDS
