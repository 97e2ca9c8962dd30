"""A selection as a file in each format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from server.jobs.exporting import Format, export
from server.jobs.registry import Cancelled, JobError, Progress
from server.memory.memories import Memories
from server.memory.model import Actor
from server.memory.owner.memories import OwnerMemories
from tests.support import draft

TEXTS = ("=HYPERLINK(1)", 'Über "Tee",\nzwei Zeilen', "安娜喜欢喝绿茶")


def write(mine: OwnerMemories, owner: int, ids: list[int], form: Format, path: Path) -> str:
    """The file's text."""
    told = export(lambda some: mine.rows(owner, some), ids, form, path, Progress(lambda _done, _total: None))
    assert path.name in told
    assert path.stat().st_mode & 0o777 == 0o600
    return path.read_bytes().decode("utf-8")


@pytest.fixture
def ids(memories: Memories, client: Actor) -> list[int]:
    """Three memories that are hard on formats."""
    return [memories.remember(client, draft(text, ["Food", "tea"]), "insert").memory_id for text in TEXTS]


def test_json(mine: OwnerMemories, owner: int, ids: list[int], tmp_path: Path) -> None:
    rows = json.loads(write(mine, owner, ids, "json", tmp_path / "out.json"))["memories"]
    assert [row["text"] for row in rows] == list(TEXTS)
    assert rows[0]["tags"] == ["food", "tea"]


def test_csv(mine: OwnerMemories, owner: int, ids: list[int], tmp_path: Path) -> None:
    text = write(mine, owner, ids[::-1], "csv", tmp_path / "out.csv")
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert [row["text"] for row in rows] == [TEXTS[2], TEXTS[1], "'" + TEXTS[0]]
    assert rows[0]["tags"] == "food, tea"


def test_markdown(mine: OwnerMemories, owner: int, ids: list[int], tmp_path: Path) -> None:
    text = write(mine, owner, ids[1:], "markdown", tmp_path / "out.md")
    assert '- Über "Tee",\n  zwei Zeilen\n' in text
    assert "`#food` `#tea`" in text


def test_nothing_is_replaced_or_half_written(mine: OwnerMemories, owner: int, ids: list[int], tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    with pytest.raises(JobError, match="already"):
        write(mine, owner, ids, "json", target)
    assert target.read_text() == "mine"
    with pytest.raises(JobError, match="another folder"):
        write(mine, owner, ids, "json", tmp_path / "missing" / "out.json")
    stopped = Progress(lambda _done, _total: None)
    stopped.stop.set()
    with pytest.raises(Cancelled):
        export(lambda some: mine.rows(owner, some), ids, "csv", tmp_path / "half.csv", stopped)
    assert not (tmp_path / "half.csv").exists()
