"""Telling formats apart, and reading odd files."""

from __future__ import annotations

import codecs
import io
import json
from typing import Any

import pytest

from server.transfer.formats import json_stream, lines
from server.transfer.formats.base import Entry, FileError
from server.transfer.formats.registry import FORMATS, recognise


def read(content: str | bytes) -> tuple[str, list[Entry]]:
    """The name of the format, and all entries."""
    form, text = recognise(io.BytesIO(content.encode() if isinstance(content, str) else content))
    return form.name, list(form.read(text))


def values(content: str | bytes) -> list[Any]:
    """What the good entries hold; none may be bad."""
    entries = read(content)[1]
    assert not [entry for entry in entries if entry.fault]
    return [entry.values for entry in entries]


def until_broken(content: str) -> tuple[list[Entry], str]:
    """The entries before the place where the file is damaged, and what is said about it."""
    form, text = recognise(io.BytesIO(content.encode()))
    entries: list[Entry] = []
    with pytest.raises(FileError) as caught:
        entries.extend(form.read(text))
    return entries, str(caught.value)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"ok": true, "count": 0, "memories": []}', "ownsona"),
        ('\n\t{"memories":\n[{"text": "x"}]}', "ownsona"),
        ("[]", "array"),
        ('["a", "b"]', "array"),
        ('  [\n {"text": "a"}]', "array"),
        ("[1, 2]", "array"),
        ("[[1], 2]", "array"),
        ("[2026-02-03] - Prefers metric units\n[unknown] - Likes tea", "lines"),
        ("[x] done", "lines"),
        ("The person likes tea.", "lines"),
        ("# only a comment", "lines"),
        ("", "lines"),
        ('"quoted"', "lines"),
    ],
)
def test_sniffing(content: str, name: str) -> None:
    """By what the file holds."""
    assert read(content)[0] == name


def test_each_format_has_a_name_of_its_own() -> None:
    """The registry is a list, not a map."""
    assert len({one.name for one in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("Likes tea".encode("utf-16"), "UTF-16. Save it as UTF-8"),
        (codecs.BOM_UTF16_BE + "Likes tea".encode("utf-16-be"), "UTF-16"),
        ("Likes tea".encode("utf-16-le"), "not a text file"),
        (b"PK\x03\x04\0\0", "not a text file"),
        (b'{"type": "entity", "name": "Ada"}', "not known"),
        (b'{"conversations": []}', "not known"),
        (b"<html>", "not known"),
    ],
)
def test_files_that_are_refused(content: bytes, advice: str) -> None:
    """The sentence says what to do, and quotes nothing."""
    with pytest.raises(FileError, match=advice) as caught:
        recognise(io.BytesIO(content))
    assert "Ada" not in str(caught.value)


def test_lines() -> None:
    """Comments and blank lines are passed over; places are line numbers; every kind of line end is one."""
    content = codecs.BOM_UTF8 + "# mine\r\n\r\n  Likes tea \r\nLikes jam\rLikes ham\n#x\nLikes é".encode()
    entries = read(content)[1]
    assert [(entry.place, entry.values) for entry in entries] == [
        (3, {"text": "Likes tea"}),
        (4, {"text": "Likes jam"}),
        (5, {"text": "Likes ham"}),
        (7, {"text": "Likes é"}),
    ]


def test_separators_inside_a_line() -> None:
    """What only some programs take for a line end stays in the text."""
    assert values("a\u2028b\x0bc\x85d\n") == [{"text": "a\u2028b\x0bc\x85d"}]


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is skipped without being held, and the next one is read."""
    monkeypatch.setattr(lines, "MAX_LINE", 10)
    entries = read("x" * 35 + "\nshort\n" + "y" * 9 + "\n")[1]
    assert [(entry.place, bool(entry.fault)) for entry in entries] == [(1, True), (2, False), (3, False)]


def test_bytes_that_are_not_utf8_spoil_one_line_alone() -> None:
    """They become what no text may hold."""
    entries = read(b"Likes caf\xe9\nLikes tea")[1]
    assert [entry.values for entry in entries] == [{"text": "Likes caf\udce9"}, {"text": "Likes tea"}]


def test_arrays() -> None:
    """Texts and objects may be mixed; anything else is a bad record."""
    name, entries = read('\ufeff["a", {"text": "b", "x": {"y": [1, "]"]}}, 3, null, ["c"], true, "d\\"]", -1.5e3]')
    assert name == "array"
    assert [entry.values for entry in entries] == [
        {"text": "a"},
        {"text": "b", "x": {"y": [1, "]"]}},
        None,
        None,
        None,
        None,
        {"text": 'd"]'},
        None,
    ]
    assert [entry.place for entry in entries] == list(range(1, 9))


def test_a_damaged_record_does_not_stop_the_others() -> None:
    """Where its end can be found."""
    entries = read('[{"text": "a"}, {"text": }, {"text": "x\ny"}, {text: 1}, tru, NaN, {"n": 1' + "0" * 5000 + '}, "b"]')[1]
    assert [entry.fault == "" for entry in entries] == [True, False, False, False, False, False, False, True]


@pytest.mark.parametrize(
    ("content", "good", "said"),
    [
        ('["a", "b"', 2, "behind record 2"),
        ('["a", "b', 1, "cut off"),
        ('["a", {"text": "b"', 1, "cut off"),
        ('["a" "b"]', 1, "behind record 1"),
        ('["a",, "b"]', 1, "at record 2"),
        ('["a", ]', 1, "at record 2"),
        ('["a", 12', 2, "behind record 2"),
        ("[", 0, "at record 1"),
        ('{"memories": ["a"]', 1, "outside its memories"),
        ('{"memories": ["a"], ', 1, "outside its memories"),
        ('{"memories": ["a"], "x" 1}', 1, "outside its memories"),
        ('{"memories": ["a"], "x": {"y": }}', 1, "outside its memories"),
        ('{"memories": ["a"], "x": [', 1, "cut off"),
        ('{"memories": ["a"], 1: 2}', 1, "outside its memories"),
        ('{"x": {"memories": ["a"]}}', 0, "no list of memories"),
    ],
)
def test_a_damaged_file_gives_what_comes_before(content: str, good: int, said: str) -> None:
    """And says where it ends."""
    entries, complaint = until_broken(content)
    assert len(entries) == good
    assert said in complaint


def test_members_beside_the_memories_are_passed_over() -> None:
    """In any order, of any type, and memories inside others are not meant."""
    content = json.dumps({"x": {"memories": ["no"]}, "n": 1, "memories": [{"text": "a"}], "z": ["b"]})
    assert values(content) == [{"text": "a"}]


@pytest.mark.parametrize("depth", [2000, 200_000])
def test_deep_nesting(depth: int) -> None:
    """It is one bad record, or one that is judged later; never the end of the program."""
    entries = read('["a", ' + "[" * depth + "]" * depth + ', "b"]')[1]
    assert len(entries) == 3
    assert [entry.values for entry in entries] == [{"text": "a"}, None, {"text": "b"}]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 100])
def test_values_across_chunks(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a piece ends."""
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    content = [{"text": 'x"\\[]{}é\u2028', "n": -12.5e3, "m": {"a": [1, 22, 333]}}, "tail\\", {"text": "ü"}]
    expected = [one if isinstance(one, dict) else {"text": one} for one in content]
    assert values(json.dumps(content)) == expected
    assert values(json.dumps({"count": 123, "memories": content, "z": None}, ensure_ascii=False)) == expected
    assert [entry.fault == "" for entry in read('["a", {"b": }, 12, "c"]')[1]] == [True, False, False, True]


def test_large_files_are_read_piece_by_piece() -> None:
    """No more is taken from the stream than the record at hand needs."""
    record = json.dumps({"text": "x" * 1000})
    text = io.StringIO("[" + ",".join([record] * 20_000) + "]")
    entries = json_stream.items(json_stream.Scanner(text))
    next(entries)
    assert text.tell() <= json_stream.CHUNK
    assert sum(1 for _ in entries) == 19_999


def test_a_value_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before all of a large file is held."""
    monkeypatch.setattr(json_stream, "CHUNK", 100)
    monkeypatch.setattr(json_stream, "MAX_VALUE", 1000)
    text = io.StringIO('["' + "x" * 100_000)
    with pytest.raises(FileError, match="too large"):
        list(json_stream.items(json_stream.Scanner(text)))
    assert text.tell() < 5000
