"""Looking at processes when the system is short of something."""

from __future__ import annotations

import os
import sys

import psutil
import pytest

from server.postgres.processes import is_alive


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux needs a file descriptor to look at a process")
def test_without_file_descriptors() -> None:
    """A process that cannot be looked at now has not died: taking it for dead would fail the whole stage."""
    import resource

    process = psutil.Process(os.getppid())
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.open(os.devnull, os.O_RDONLY)
        assert is_alive(process)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert is_alive(process)
