"""The built-in clients are the same in the code and in the migration."""

from __future__ import annotations

from importlib.resources import files

from server.oauth.builtin import ALL_SCOPES, BUILTIN_GRANTS, OWNER_ID
from server.oauth.grants import Grant


def test_migration_holds_the_grants() -> None:
    """Tokens are minted with these ids before any database is asked."""
    sql = files("server.store").joinpath("migrations", "0002_oauth.sql").read_text(encoding="utf-8")
    scopes = ", ".join(f"'{scope}'" for scope in ALL_SCOPES)
    for client, grant in BUILTIN_GRANTS.items():
        assert f"({OWNER_ID}, '{grant}', '{client}', ARRAY[{scopes}])" in sql


def test_grant_is_a_value() -> None:
    """Two looks at one grant are equal."""
    assert Grant("a", 1, frozenset()) == Grant("a", 1, frozenset())
