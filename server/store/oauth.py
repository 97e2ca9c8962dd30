"""SQL of the OAuth tables: signing keys and grants."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from server.oauth.grants import Grant
from server.oauth.keys import PublicJwk
from server.oauth.opaque import digest
from server.oauth.tokens import AccessToken

Connect = Callable[[], AbstractContextManager[psycopg.Connection[Any]]]

# The key is looked at too: a home whose key was retired is out even while its public half is still cached here.
# A key that its home has replaced is good for two more hours: its last tokens are good for one.
_GOOD_KEY = "retired_at IS NULL AND (superseded_at IS NULL OR superseded_at > now() - interval '2 hours')"
_LOOK = f"""
SELECT c.name, g.scopes, coalesce(g.last_used_at < now() - interval '1 minute', true)
  FROM oauth_grants g JOIN oauth_clients c ON c.owner_id = g.owner_id AND c.client_id = g.client_id
 WHERE g.owner_id = %(owner)s AND g.id::text = %(grant)s AND g.client_id = %(client)s AND g.revoked_at IS NULL
   AND (%(kid)s::text IS NULL OR EXISTS (SELECT FROM signing_keys WHERE owner_id = %(owner)s AND kid = %(kid)s AND {_GOOD_KEY}))
"""  # noqa: S608  a constant of this module
_STATIC = """
SELECT g.client_id, g.id::text, g.scopes
  FROM oauth_tokens t JOIN oauth_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
 WHERE t.owner_id = %s AND t.token_hash = %s AND t.kind = 'static' AND g.revoked_at IS NULL AND g.path = ANY(%s)
"""


class OAuthTables:
    """Grants and keys of one owner. `connect` lends a connection on which each statement is a transaction of its own."""

    def __init__(self, connect: Connect, owner_id: int) -> None:
        self._connect = connect
        self._owner_id = owner_id

    def register_key(self, jwk: PublicJwk, replaces: str | None = None) -> None:
        """Make a home's public key known to all servers of this database. A retired key stays retired."""
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO signing_keys (owner_id, kid, public_jwk) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (self._owner_id, jwk["kid"], Jsonb(jwk)),
            )
            connection.execute(
                "UPDATE signing_keys SET superseded_at = now() WHERE owner_id = %s AND kid = %s AND superseded_at IS NULL",
                (self._owner_id, replaces),
            )

    def public_keys(self) -> list[Mapping[str, Any]]:
        """All public keys that tokens may be signed with, oldest first."""
        with self._connect() as connection:
            rows = connection.cursor(row_factory=tuple_row).execute(
                f"SELECT public_jwk FROM signing_keys WHERE owner_id = %s AND {_GOOD_KEY} ORDER BY created_at, kid",  # noqa: S608  a constant
                (self._owner_id,),
            )
            return [row[0] for row in rows]

    def look(self, token: AccessToken, tool: str = "") -> Grant | None:
        """The grant behind a token, or None where grant or key was revoked."""
        if token.subject != str(self._owner_id):
            return None
        values = {"owner": self._owner_id, "grant": token.grant, "client": token.client_id, "kid": token.kid, "tool": tool}
        with self._connect() as connection:
            row = connection.cursor(row_factory=tuple_row).execute(_LOOK, values).fetchone()
            if row is None:
                return None
            name, scopes, stale = row
            if stale:
                connection.execute(
                    "UPDATE oauth_grants SET last_used_at = now(), last_tool = coalesce(nullif(%(tool)s, ''), last_tool)"
                    " WHERE owner_id = %(owner)s AND id::text = %(grant)s",
                    values,
                )
        return Grant(token.client_name or name, self._owner_id, frozenset(scopes))

    def static_token(self, token: str, paths: Collection[str]) -> AccessToken | None:
        """A static token that is good for one of these endpoints."""
        with self._connect() as connection:
            row = connection.cursor(row_factory=tuple_row).execute(_STATIC, (self._owner_id, digest(token), list(paths))).fetchone()
        return AccessToken(str(self._owner_id), row[0], None, row[1], frozenset(row[2]), None, 0) if row else None
