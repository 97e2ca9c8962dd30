"""Grants and signing keys in the real database."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from server.memory.ports import StoreError
from server.oauth.builtin import ALL_SCOPES, BUILTIN_GRANTS, CLI_CLIENT, OWNER_ID, STDIO_CLIENT
from server.oauth.grants import Grant
from server.oauth.keys import SigningKey
from server.oauth.tokens import AccessToken
from server.store.database import Database
from server.store.oauth import OAuthTables


@pytest.fixture
def tables(database: Database) -> OAuthTables:
    """The tables of the built-in owner."""
    return OAuthTables(database.transaction, OWNER_ID)


@pytest.fixture
def kid(tables: OAuthTables) -> str:
    """A key that is registered."""
    key = SigningKey.generate()
    tables.register_key(key.public())
    return key.kid


def token(kid: str, client: str = CLI_CLIENT, **changes: object) -> AccessToken:
    """A token that passed all other checks."""
    values = {"subject": str(OWNER_ID), "client_name": None, "grant": BUILTIN_GRANTS[client], "scopes": frozenset[str]()}
    return AccessToken(client_id=client, kid=kid, expires_at=0, **{**values, **changes})  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize(("client", "name"), [(CLI_CLIENT, "ownsona token"), (STDIO_CLIENT, "ownsona mcp")])
def test_built_in_grants(tables: OAuthTables, kid: str, client: str, name: str) -> None:
    """They are there from the first start, with the ids that tokens are minted with."""
    assert tables.look(token(kid, client)) == Grant(name, OWNER_ID, frozenset(ALL_SCOPES))
    assert tables.look(token(kid, client, client_name="Editor")) == Grant("Editor", OWNER_ID, frozenset(ALL_SCOPES))


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "2"},
        {"subject": "x"},
        {"grant": str(uuid4())},
        {"grant": "no uuid"},
        {"grant": BUILTIN_GRANTS[STDIO_CLIENT]},
        {"kid": "unknown"},
    ],
)
def test_what_does_not_hold(tables: OAuthTables, kid: str, changes: dict[str, str]) -> None:
    """Another owner, no such grant, another client's grant, a key that nobody registered."""
    assert tables.look(token(**{"kid": kid, **changes})) is None


def test_revoked(database: Database, tables: OAuthTables, kid: str) -> None:
    """From the moment that it is written."""
    grant = str(uuid4())
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO oauth_grants (owner_id, id, client_id, scopes) VALUES (%s, %s, %s, %s)",
            (OWNER_ID, grant, CLI_CLIENT, ["memories:read"]),
        )
    looked = tables.look(token(kid, grant=grant))
    assert looked is not None
    assert looked.scopes == {"memories:read"}
    with database.transaction() as connection:
        connection.execute("UPDATE oauth_grants SET revoked_at = now() WHERE id = %s", (grant,))
    assert tables.look(token(kid, grant=grant)) is None


def test_last_use_is_noted_now_and_then(database: Database, tables: OAuthTables, kid: str) -> None:
    """Not at every call: that would be a write for each read."""

    def used() -> object:
        with database.transaction() as connection:
            row = connection.execute("SELECT last_used_at FROM oauth_grants WHERE id = %s", (BUILTIN_GRANTS[CLI_CLIENT],)).fetchone()
            assert row is not None
            return row["last_used_at"]

    tables.look(token(kid))
    first = used()
    assert first is not None
    tables.look(token(kid))
    assert used() == first
    with database.transaction() as connection:
        connection.execute("UPDATE oauth_grants SET last_used_at = now() - interval '6 minutes'")
    tables.look(token(kid))
    assert used() != first


def test_retired_key(database: Database, tables: OAuthTables, kid: str) -> None:
    """Its tokens are out, and a home that registers it again does not bring it back."""
    assert kid in {jwk["kid"] for jwk in tables.public_keys()}
    with database.transaction() as connection:
        connection.execute("UPDATE signing_keys SET retired_at = now() WHERE kid = %s", (kid,))
        jwk = connection.execute("SELECT public_jwk FROM signing_keys WHERE kid = %s", (kid,)).fetchone()
    assert jwk is not None
    tables.register_key(jwk["public_jwk"])
    assert kid not in {jwk["kid"] for jwk in tables.public_keys()}
    assert tables.look(token(kid)) is None


def test_a_private_key_is_refused(database: Database) -> None:
    """The database itself keeps private keys out."""
    private = SigningKey.generate().key.as_dict(private=True)
    with pytest.raises(StoreError), database.transaction() as connection:
        connection.execute("INSERT INTO signing_keys (owner_id, kid, public_jwk) VALUES (1, 'x', %s)", (Jsonb(private),))


def test_moving_a_pool(fresh_database: Callable[[], str]) -> None:
    """A pool made before the cluster runs answers that there is nothing yet, and works once it knows the address."""
    database = Database()
    with pytest.raises(StoreError), database.transaction():
        pass
    conninfo = fresh_database()
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    for _ in range(2):
        database.move(conninfo)
        with database.transaction() as open_connection:
            assert open_connection.execute("SELECT 1 AS one").fetchone() == {"one": 1}
    database.close()
