"""Tags in the form in which they are compared: lower case, letters, digits and hyphens, synonyms joined."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from server.memory.model import InvalidInput

MAX_TAGS = 16
MAX_TAG_CHARS = 64

SYNONYMS: dict[str, tuple[str, ...]] = {
    "software": ("tech", "technology", "programming", "coding", "code", "dev", "development", "engineering"),
    "publishing": ("book", "books", "writing", "author", "authorship"),
    "personal": ("bio", "biography", "personal-info"),
    "family": ("relatives", "kin", "fam", "families"),
    "work": ("job", "career", "employment"),
    "preferences": ("preference", "pref", "prefs", "likes", "dislikes"),
    "health": ("medical", "medicine", "medications"),
    "philosophy": ("religion", "beliefs", "values"),
}
_TARGET = {source: target for target, sources in SYNONYMS.items() for source in sources}
_SPACES = re.compile(r"[\s_]+")


def normalize_tag(tag: str) -> str:
    """One tag in its compared form; empty where nothing of it is left."""
    joined = _SPACES.sub("-", unicodedata.normalize("NFC", tag).strip().lower())
    # Marks belong to the letters of many scripts.
    kept = "".join(char for char in joined if char == "-" or char.isalnum() or unicodedata.category(char)[0] == "M")
    # What stood between a letter and a mark may be gone now.
    kept = re.sub(r"-{2,}", "-", unicodedata.normalize("NFC", kept)).strip("-")
    return _TARGET.get(kept, kept)


def normalize_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """All tags in their compared form, without empty ones and repeats, in the order first seen."""
    return tuple(dict.fromkeys(normal for normal in map(normalize_tag, tags) if normal))


def check_tags(tags: Sequence[str], field: str = "tags") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The compared form and the form as given (trimmed, NFC). Raises InvalidInput."""
    given = tuple(dict.fromkeys(unicodedata.normalize("NFC", tag.strip()) for tag in tags if tag.strip()))
    if any(len(tag) > MAX_TAG_CHARS for tag in given):
        raise InvalidInput(f"Each of {field} may have at most {MAX_TAG_CHARS} characters.")
    normal = normalize_tags(given)
    if len(normal) > MAX_TAGS:
        raise InvalidInput(f"{field} may hold at most {MAX_TAGS} different tags; {len(normal)} were given.")
    return normal, given
