"""What two do at once: the row is held until both have come as far as the statement that decides, then let go."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from server.store.database import Database
from tests.oauth.support import OAuthClient, location, query
from tests.programs import eventually
from tests.web_support import PATIENCE, Answer, Probe

# Statements that wait for a row of this database.
_WAITING = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def together(database: Database, lock: str, value: object, *works: Callable[[], Answer]) -> list[Answer]:
    """The answers of works that all wait for one row. They are sorted by status."""
    with ThreadPoolExecutor(len(works)) as pool:
        with database.transaction() as holder:
            holder.execute(lock, [value])
            running = [pool.submit(work) for work in works]

            def all_wait() -> bool:
                with database.transaction() as connection:
                    row: Any = connection.execute(_WAITING).fetchone()
                    return bool(row["n"] == len(works))

            eventually(all_wait)
        return sorted((future.result(PATIENCE) for future in running), key=lambda answer: answer.status)


def test_one_code_twice(client: OAuthClient, database: Database) -> None:
    """Both have found it good; one uses it up."""
    code = client.code()
    lock = "SELECT FROM oauth_codes WHERE client_id = %s FOR UPDATE"
    first, second = together(database, lock, client.id, lambda: client.redeem(code), lambda: client.redeem(code))
    assert first.status == 200
    assert second.json["error"] == "invalid_grant"
    assert client.works(first.json["access_token"]) == 200


def test_refresh_while_it_is_revoked(client: OAuthClient, database: Database) -> None:
    """The token was good when it was looked at, and is not when it is exchanged."""
    token = client.log_in()["refresh_token"]
    lock = "UPDATE oauth_tokens t SET expires_at = now() FROM oauth_grants g WHERE g.id = t.grant_id AND g.client_id = %s"
    [answer] = together(database, lock, client.id, lambda: client.refresh(token))
    assert answer.json["error"] == "invalid_grant"


@pytest.mark.parametrize("tabs", [2, 5])
def test_one_answer_fetched_twice(probe: Probe, client: OAuthClient, database: Database, tabs: int) -> None:
    """The window has answered, and several tabs of the browser come for it."""
    page = client.begin()
    [pending] = probe.owner("GET", "/oauth/pending").json["pending"]
    assert probe.owner("POST", f"/oauth/pending/{pending['id']}/approve").status == 200
    path = f"/oauth/consent?request={page.fields['request']}"
    lock = "SELECT FROM oauth_requests WHERE client_id = %s FOR UPDATE"
    first, *others = together(database, lock, client.id, *[lambda: page.browser.get(path)] * tabs)
    assert client.redeem(query(location(first))["code"]).status == 200
    assert {other.status for other in others} == {410}


def test_one_request_answered_twice(client: OAuthClient, database: Database) -> None:
    """Allow and deny at once: one counts."""
    page = client.begin()
    lock = "SELECT FROM oauth_requests WHERE client_id = %s FOR UPDATE"
    first, second = together(database, lock, client.id, lambda: page.send("deny"), lambda: page.send("deny"))
    assert (first.status, second.status) == (303, 410)
