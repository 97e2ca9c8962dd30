"""Small parts of a start: folders for sockets, logs, the way to log in."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from server.postgres.binaries import Account
from server.postgres.errors import PostgresError
from server.postgres.launch import ConnectionInfo, free_port, log_tail, new_socket_dir, remove_stale, rotate_log


def test_connection_info_hides_the_password() -> None:
    info = ConnectionInfo("/run/it's", 5432, "s3cret")
    assert "s3cret" not in repr(info)
    assert "s3cret" not in f"{info}"
    parts = conninfo_to_dict(info.conninfo())
    assert (parts["host"], parts["user"], parts["dbname"], parts["password"]) == ("/run/it's", "ownsona", "ownsona", "s3cret")
    assert conninfo_to_dict(info.conninfo("other"))["dbname"] == "other"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows uses a loopback port")
def test_socket_folder_is_private_fresh_and_short(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    folders = [new_socket_dir(Account()), new_socket_dir(Account(), long), new_socket_dir(Account(), long)]
    try:
        assert len(set(folders)) == 3
        assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in folders)
        assert all(len(str(folder / ".s.PGSQL.5432.lock")) < 100 for folder in folders)
    finally:
        for folder in folders:
            folder.rmdir()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows uses a loopback port")
def test_socket_folders_that_nobody_uses_are_removed() -> None:
    """Old ones behind which no process listens; all others stay."""
    with contextlib.ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        folders = {name: base / name for name in ("ownsona-pg-dead", "ownsona-pg-empty", "ownsona-pg-live", "ownsona-pg-new", "another")}
        for name, folder in folders.items():
            folder.mkdir()
            if name != "ownsona-pg-empty":
                listener = stack.enter_context(socket.socket(socket.AF_UNIX))
                listener.bind(str(folder / ".s.PGSQL.5432"))
                (folder / ".s.PGSQL.5432.lock").touch()
                if name == "ownsona-pg-live":
                    listener.listen()
            if name != "ownsona-pg-new":
                os.utime(folder, (0, 0))
        remove_stale(base, Account())
        assert {folder.name for folder in base.iterdir()} == {"ownsona-pg-live", "ownsona-pg-new", "another"}


def test_no_folder_for_the_socket_is_explained(tmp_path: Path) -> None:
    base = Path("/ownsona-does-not-exist")  # short, whatever the folder for temporary files is
    with pytest.raises(PostgresError, match="Set TMPDIR"):
        new_socket_dir(Account(), base)


def test_logs_of_earlier_starts_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "postgres.log"
    for number in range(6):
        rotate_log(log)
        log.write_text(str(number), "ascii")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["postgres.log", "postgres.log.1", "postgres.log.2", "postgres.log.3"]
    assert [log.read_text("ascii"), *((tmp_path / f"postgres.log.{n}").read_text("ascii") for n in (1, 2, 3))] == ["5", "4", "3", "2"]
    assert log_tail(log) == "5"
    assert log_tail(tmp_path / "none") == ""


def test_free_port_is_a_port() -> None:
    assert 1024 <= free_port() <= 65535
