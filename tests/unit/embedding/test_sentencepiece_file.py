"""The SentencePiece model that installer/make_model.py writes by hand."""

from __future__ import annotations

import importlib.util
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest
from sentencepiece import SentencePieceNormalizer, SentencePieceProcessor

PIECES = [b"<s>", b"<pad>", b"</s>", b"<unk>", "\u2581".encode(), "\u2581tea".encode(), "é".encode(), "한".encode(), b"Z", b"<mask>"]
SCORES = [0.0, 0.0, 0.0, 0.0, -2.0, -1.0, -3.0, -3.0, -3.0, 0.0]


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    path = Path(__file__).parents[3] / "installer" / "sentencepiece_file.py"
    spec = importlib.util.spec_from_file_location("sentencepiece_file", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ids_are_places_and_the_rules_are_applied(writer: ModuleType) -> None:
    content = writer.model_file(PIECES, SCORES, {ord("!"): (ord("Z"),), ord("\u200d"): (ord(" "),)})
    processor = SentencePieceProcessor(model_proto=content)
    assert (processor.bos_id(), processor.pad_id(), processor.eos_id(), processor.unk_id()) == (0, 1, 2, 3)
    assert processor.encode("tea") == [5]
    assert processor.encode("tea!") == [5, 8]  # a rule for one character
    assert processor.encode("tea\u200dtea") == [5, 5]
    assert processor.encode("teae\u0301") == [5, 6]  # composed by the table
    assert processor.encode("tea\u1112\u1161\u11ab") == [5, 7]
    assert processor.encode("tea<mask>")[0] == 5
    assert 9 not in processor.encode("<mask>")


def test_every_rule_of_the_table_is_read(writer: ModuleType) -> None:
    table = files("sentencepiece").joinpath("package_data", "nmt_nfkc.bin").read_bytes()
    entries = dict(writer.charsmap_entries(table))
    normalise = SentencePieceNormalizer(
        rule_name="nmt_nfkc", add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )
    assert len(entries) > 10_000
    for key in list(entries)[::997]:
        assert normalise.normalize(key) == entries[key], ascii(key)


def test_special_pieces_must_be_where_the_model_has_them(writer: ModuleType) -> None:
    with pytest.raises(ValueError, match="first four"):
        writer.model_file(PIECES[1:], SCORES[1:], {})
