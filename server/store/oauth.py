"""SQL of the OAuth tables: signing keys and grants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from server.oauth.grants import Grant
from server.oauth.keys import PublicJwk
from server.oauth.tokens import AccessToken

Connect = Callable[[], AbstractContextManager[psycopg.Connection[Any]]]

# The key is looked at too: a home whose key was retired is out even while its public half is still cached here.
_LOOK = """
SELECT c.name, g.scopes, coalesce(g.last_used_at < now() - interval '5 minutes', true)
  FROM oauth_grants g
  JOIN oauth_clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
  JOIN signing_keys k ON k.owner_id = g.owner_id AND k.kid = %(kid)s AND k.retired_at IS NULL
 WHERE g.owner_id = %(owner)s AND g.id::text = %(grant)s AND g.client_id = %(client)s AND g.revoked_at IS NULL
"""


class OAuthTables:
    """Grants and keys of one owner. `connect` lends a connection on which each statement is a transaction of its own."""

    def __init__(self, connect: Connect, owner_id: int) -> None:
        self._connect = connect
        self._owner_id = owner_id

    def register_key(self, jwk: PublicJwk) -> None:
        """Make a home's public key known to all servers of this database. A retired key stays retired."""
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO signing_keys (owner_id, kid, public_jwk) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (self._owner_id, jwk["kid"], Jsonb(jwk)),
            )

    def public_keys(self) -> list[Mapping[str, Any]]:
        """All public keys that are not retired, oldest first."""
        with self._connect() as connection:
            rows = connection.cursor(row_factory=tuple_row).execute(
                "SELECT public_jwk FROM signing_keys WHERE owner_id = %s AND retired_at IS NULL ORDER BY created_at, kid", (self._owner_id,)
            )
            return [row[0] for row in rows]

    def look(self, token: AccessToken) -> Grant | None:
        """The grant behind a token, or None where grant or key was revoked."""
        if token.subject != str(self._owner_id):
            return None
        values = {"owner": self._owner_id, "grant": token.grant, "client": token.client_id, "kid": token.kid}
        with self._connect() as connection:
            row = connection.cursor(row_factory=tuple_row).execute(_LOOK, values).fetchone()
            if row is None:
                return None
            name, scopes, stale = row
            if stale:
                connection.execute(
                    "UPDATE oauth_grants SET last_used_at = now() WHERE owner_id = %(owner)s AND id::text = %(grant)s", values
                )
        return Grant(token.client_name or name, self._owner_id, frozenset(scopes))
