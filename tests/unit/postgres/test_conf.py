"""The text of app.conf."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from server.postgres import conf


@pytest.mark.parametrize(
    ("value", "expected"),
    [("64MB", "'64MB'"), ("it's", "'it''s'"), ("C:\\Users\\ä", "'C:\\\\Users\\\\ä'"), ("", "''"), ("a # b", "'a # b'")],
)
def test_quoting(value: str, expected: str) -> None:
    assert conf.quoted(value) == expected


def test_socket_only_on_linux_and_macos() -> None:
    text = conf.render(conf.socket_address(Path('/run/a, "b"')), None)
    assert "listen_addresses = ''\n" in text
    assert 'unix_socket_directories = \'"/run/a, ""b"""\'\n' in text
    assert "fsync = 'on'\n" in text
    assert "jit = 'off'\n" in text


def test_loopback_only_on_windows() -> None:
    text = conf.render(conf.loopback_address(50123), None)
    assert "listen_addresses = '127.0.0.1'\n" in text
    assert "port = '50123'\n" in text
    assert "unix_socket_directories = ''\n" in text


@pytest.mark.parametrize(("size", "limited"), [(None, False), (64 << 20, True), (8 << 30, False)])
def test_small_shared_memory_forbids_parallel_index_builds(size: int | None, limited: bool) -> None:
    assert ("max_parallel_maintenance_workers = '0'" in conf.render({}, size)) is limited


def test_size_of_shared_memory(tmp_path: Path) -> None:
    assert conf.shared_memory_size(tmp_path / "none") is None
    if sys.platform != "win32":
        assert (conf.shared_memory_size(tmp_path) or 0) > 0
