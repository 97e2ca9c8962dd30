"""One authorization server for all tests of it, with a login set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.oauth.login import hash_password
from server.paths import Home
from server.store.database import Database
from tests.oauth.support import PASSWORD, USERNAME, OAuthClient, RealParts, new_client
from tests.web_support import PATIENCE, Probe, serving

_HASH = hash_password(USERNAME, PASSWORD)


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory, database: Database) -> Iterator[Probe]:
    """A server that is ready, over the database that all tests share."""
    folder = tmp_path_factory.mktemp("oauth")
    with serving(folder, parts=RealParts(Home.at(folder), database)) as probe:
        assert probe.ready.wait(PATIENCE)
        yield probe


@pytest.fixture
def probe(running: Probe, database: Database) -> Probe:
    """The server without what earlier tests have left: no counted requests, no failed logins, no waiting requests."""
    with database.transaction() as connection:
        for table in ("oauth_rates", "oauth_logins", "oauth_requests"):
            connection.execute(f"DELETE FROM {table}")
    running.parts.oauth.owner.set_login(USERNAME, _HASH)
    return running


@pytest.fixture
def client(probe: Probe) -> OAuthClient:
    """A public client with a loopback address."""
    return new_client(probe)
