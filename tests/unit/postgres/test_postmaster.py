"""postmaster.pid and the identity of its process."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.postgres.postmaster import PostmasterFile, is_own_socket_dir, is_postmaster, read_pid_file
from server.postgres.reaper import find_in_listing

WHOLE = "4711\n/data\n1796000000\n5432\n/run/ownsona-pg-x\n\n  1234567        42\nready   \n"


def test_whole_file(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text(WHOLE, "utf-8")
    assert read_pid_file(tmp_path) == PostmasterFile(4711, 5432, Path("/run/ownsona-pg-x"), "ready")


@pytest.mark.parametrize("text", ["", "\n", "abc\n", "-5\n", "0\n", "²\n", "\x00\x00\x00"])
def test_broken_file_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "postmaster.pid").write_text(text, "utf-8")
    assert read_pid_file(tmp_path) == PostmasterFile()


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_every_beginning_can_be_read(tmp_path: Path, length: int) -> None:
    (tmp_path / "postmaster.pid").write_text(WHOLE[:length], "utf-8")
    assert read_pid_file(tmp_path).pid in (None, 4, 47, 471, 4711)


def test_missing_file_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert read_pid_file(tmp_path) == PostmasterFile()
    (tmp_path / "postmaster.pid").write_bytes(b"12\n/\xff\n")
    assert read_pid_file(tmp_path).pid == 12


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["/opt/bin/postgres", "-D", "/home/a b/data"], True),
        (["postgres", "-c", "x=y", "-D", "/home/a b/data"], True),
        ([r"C:\OwnSona\bin\postgres.exe", "-D", "/home/a b/data"], True),
        (["/opt/bin/postgres", "-D", "/home/a b/data2"], False),
        (["/usr/bin/vim", "-D", "/home/a b/data"], False),
        (["postgres: ownsona: checkpointer "], False),
        (["/opt/bin/postgres", "/home/a b/data", "-D"], False),
        ([""], False),
        ([], False),
    ],
)
def test_command_line_of_a_postmaster(argv: list[str], expected: bool) -> None:
    assert is_postmaster(argv, Path("/home/a b/data")) is expected


def test_listing_of_ps() -> None:
    listing = """\
    1 /sbin/launchd
  812 /Applications/Own Sona.app/bin/postgres -D /Users/ä/Library/Application Support/ownsona/data
  813 postgres: ownsona: checkpointer
  900 /opt/postgres -D /Users/ä/Library/Application Support/ownsona/data2
"""
    folder = Path("/Users/ä/Library/Application Support/ownsona/data")
    assert find_in_listing(listing, folder) == {812}
    assert find_in_listing(listing, folder.with_name("data3")) == set()
    assert find_in_listing("", folder) == set()


def test_only_our_socket_folders_are_ours() -> None:
    assert is_own_socket_dir(Path("/run/ownsona-pg-abc"))
    assert not is_own_socket_dir(Path("/run"))
