"""Files on this side, and what the person is told."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections import Counter
from pathlib import Path

import pytest

from server import cli
from server.transfer.command import Progress, TargetError, complaints, describe, opened, ranges, replacing
from server.transfer.sending import Tally


def test_ranges() -> None:
    """Short, and complete."""
    assert ranges([3, 7, 8, 9, 11]) == "3, 7-9, 11"
    assert ranges([1]) == "1"
    assert ranges([]) == ""


def test_what_is_told() -> None:
    """Counts first, then what the person may wonder about."""
    tally = Tally(Counter(added=2, present=1, forgotten=3), 4, 1, {"Bad.": [1, 2], "Worse.": [9]}, [5, 6])
    assert describe(tally, dry_run=False) == (
        "2 added, 4 already there, 3 skipped. 3 of those already there were forgotten since, and stay forgotten."
        " 4 fields that OwnSona does not know were left out. 1 tombstones name a successor that the file does not hold."
        " In the journal: entries 5 to 6."
    )
    assert describe(Tally(Counter(added=1)), dry_run=True) == "1 would be added, 0 already there, 0 skipped."
    assert describe(Tally(entries=[7]), dry_run=False).endswith("In the journal: entry 7.")
    assert list(complaints(tally, "line")) == ["lines 1-2: Bad.", "line 9: Worse."]


def test_progress_only_on_a_terminal() -> None:
    """What was longer is written over."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    silent, shown = io.StringIO(), Terminal()
    for stream in (silent, shown):
        progress = Progress(stream)
        progress.show("one moment")
        progress.show("done")
        progress.clear()
        progress.clear()
    assert silent.getvalue() == ""
    assert shown.getvalue() == "\rone moment\rdone      \r    \r\r"


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """Readable by its owner only."""
    path = tmp_path / "out.json"

    def fail() -> None:
        with replacing(path, force=False) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []
    with replacing(path, force=False) as file:
        file.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_files_in_the_way(tmp_path: Path) -> None:
    """Nothing is replaced without being asked, and never what is no file."""
    path = tmp_path / "out.json"
    path.write_bytes(b"old")
    for name, force, said in (
        (path, False, "--force"),
        (tmp_path, True, "not a file"),
        (tmp_path / "no" / "x", False, "cannot be written"),
    ):
        with pytest.raises(TargetError, match=said), replacing(name, force=force):
            pass
    assert path.read_bytes() == b"old"
    with replacing(path, force=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_pipe_can_be_rewound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from stdin is read as a file is."""
    reading, writing = os.pipe()
    os.write(writing, b"Likes tea\n")
    os.close(writing)
    with os.fdopen(reading, "r") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        with opened("-") as file:
            assert (file.read(), file.seek(0), file.read()) == (b"Likes tea\n", 0, b"Likes tea\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "no-such-file"], "There is no file no-such-file"),
        (["import", "."], "cannot be read"),
        (["export", "."], "not a file"),
        (["export", "x", "--format", "papyrus"], "there is ownsona"),
    ],
)
def test_usage(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, and no server is started."""
    monkeypatch.chdir(tmp_path)
    assert cli.main([*arguments, "--home", str(tmp_path / "home")]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert not (tmp_path / "home").exists()


def test_an_unknown_file_starts_no_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and the others are read."""
    (tmp_path / "page.html").write_text("<html>")
    assert cli.main(["import", str(tmp_path / "page.html"), "--home", str(tmp_path / "home")]) == 1
    assert "page.html was not imported: its format is not known" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()
