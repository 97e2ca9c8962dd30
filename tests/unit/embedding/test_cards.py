"""Model cards: finding, reading, checking, and the generation that follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.embedding.cards import Card, LocalModel, find_card, read_card
from server.memory.ports import EmbeddingError

CARD = """
id = "own"
licence = "Apache-2.0"
source = "https://example.org"
dimension = 4
context = 512
pooling = "cls"
tokenizer = "gguf"
[files.model]
name = "own.gguf"
sha256 = "{sha256}"
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a model file and its card beside it."""
    (tmp_path / "own.gguf").write_bytes(b"weights")
    (tmp_path / "own.toml").write_text(CARD.format(sha256=hashlib.sha256(b"weights").hexdigest()))
    return tmp_path


def test_the_default_model_is_whole_and_says_where_it_comes_from() -> None:
    local = find_card(None)
    local.verify()
    assert (local.card.id, local.card.dimension, local.card.licence) == ("multilingual-e5-small", 384, "MIT")
    assert (local.card.query_prefix, local.card.passage_prefix) == ("query: ", "passage: ")
    for name in ("LICENSE", "NOTICE"):
        assert (local.folder / name).is_file()
    assert find_card("multilingual-e5-small") == local


def test_an_own_model_is_found_by_file_card_or_folder(own: Path) -> None:
    by_file, by_card = find_card(str(own / "own.gguf")), find_card(str(own / "own.toml"))
    (own / "own.toml").rename(own / "card.toml")
    assert by_file == by_card == find_card(str(own)) == find_card(str(own / "own.gguf"))
    by_file.verify()


def test_a_changed_file_is_named_with_the_remedy(own: Path) -> None:
    local = find_card(str(own / "own.gguf"))
    (own / "own.gguf").write_bytes(b"weightz")
    with pytest.raises(EmbeddingError, match=r"own\.gguf is not the one that its card names.*Install OwnSona again"):
        local.verify()
    (own / "own.gguf").unlink()
    with pytest.raises(EmbeddingError, match=r"own\.gguf cannot be read"):
        local.verify()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("no-such-model", "neither a GGUF file.*multilingual-e5-small"),
        ("/nowhere/model.gguf", "there is no such file"),
        ("/nowhere/card.toml", "cannot be read"),
        ("../models/multilingual-e5-small", "neither a GGUF file"),
    ],
)
def test_what_is_not_there_is_explained(wanted: str, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        find_card(wanted)


def test_a_model_without_card_says_what_to_write(own: Path) -> None:
    (own / "own.toml").unlink()
    with pytest.raises(EmbeddingError, match=r"has no card. Write own\.toml beside it"):
        find_card(str(own / "own.gguf"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("dimension = 4", "dimension = 0", "dimension"),
        ("dimension = 4", "dimenson = 4", "dimen"),
        ('tokenizer = "gguf"', 'tokenizer = "sentencepiece"', "files.tokenizer"),
        ("context = 512", "context = 100", "windows.tokens"),
        ("[files.model]", "[windows]\noverlap = 100\n[files.model]", "windows.overlap"),
        ('id = "own"', "id = ", "TOML"),
    ],
)
def test_a_wrong_card_names_the_key(own: Path, old: str, new: str, message: str) -> None:
    path = own / "own.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(EmbeddingError, match=message):
        read_card(path)


def with_file(kind: str) -> Callable[[dict[str, Any]], None]:
    def change(card: dict[str, Any]) -> None:
        card["files"][kind]["sha256"] = "0" * 64

    return change


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "model": with_file("model"),
    "token embeddings": with_file("token_embeddings"),
    "tokenizer": with_file("tokenizer"),
    "transform": with_file("transform"),
    "no transform": lambda card: card["files"].update(transform=None),
    "query prefix": lambda card: card.update(query_prefix="q: "),
    "passage prefix": lambda card: card.update(passage_prefix="p: "),
    "pooling": lambda card: card.update(pooling="cls"),
    "context": lambda card: card.update(context=256),
    "dimension": lambda card: card.update(dimension=383),
    "unicode form": lambda card: card.update(unicode_form="NFC"),
    "window": lambda card: card["windows"].update(tokens=191),
    "overlap": lambda card: card["windows"].update(overlap=47),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_changes_a_vector_changes_the_generation(change: Callable[[dict[str, Any]], None]) -> None:
    local = find_card(None)
    content = local.card.model_dump(mode="json")
    change(content)
    changed = Card.model_validate(content).generation()
    assert len(changed) == 16
    assert int(changed, 16) >= 0
    assert changed != local.card.generation()


def test_what_changes_no_vector_keeps_the_generation() -> None:
    local = find_card(None)
    content = local.card.model_dump(mode="json")
    content.update(id="other", licence="other", source="other", calibration={"a": {"b": 1.0}})
    content["files"]["model"]["name"] = "renamed.gguf"
    assert LocalModel(Card.model_validate(content), local.folder).card.generation() == local.card.generation()
