"""One server for the tests that change nothing in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web_support import PATIENCE, Probe, serving


@pytest.fixture(scope="package")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probe]:
    """A server that is ready."""
    with serving(tmp_path_factory.mktemp("home")) as running:
        assert running.ready.wait(PATIENCE)
        yield running
