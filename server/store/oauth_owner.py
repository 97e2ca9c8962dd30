"""SQL behind the owner's view of access: clients and what they did, requests that wait, static tokens, the login."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from psycopg.rows import dict_row

from server.oauth.opaque import digest
from server.store.oauth import Connect

_CLIENTS = """
SELECT c.client_id, c.kind, c.name, c.metadata -> 'redirect_uris' AS redirect_uris, c.created_at, c.approved_at,
       max(g.last_used_at) AS last_used_at,
       (array_agg(g.last_tool ORDER BY g.last_used_at DESC NULLS LAST) FILTER (WHERE g.last_tool IS NOT NULL))[1] AS last_tool,
       coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'scopes', g.scopes, 'path', g.path, 'created_at', g.created_at,
           'last_used_at', g.last_used_at, 'last_tool', g.last_tool) ORDER BY g.created_at)
           FILTER (WHERE g.id IS NOT NULL AND g.revoked_at IS NULL), '[]') AS grants
  FROM oauth_clients c LEFT JOIN oauth_grants g ON g.owner_id = c.owner_id AND g.client_id = c.client_id
 WHERE c.owner_id = %s
 GROUP BY c.owner_id, c.client_id
 ORDER BY c.created_at, c.client_id
"""
_PENDING = """
SELECT encode(r.id_hash, 'hex') AS id, r.client_id, c.name AS client_name, r.redirect_uri, r.scopes, r.path, r.created_at, r.expires_at
  FROM oauth_requests r JOIN oauth_clients c USING (owner_id, client_id)
 WHERE owner_id = %s AND r.expires_at > now() AND r.decision IS NULL
 ORDER BY r.created_at
"""
_STATIC = """
SELECT c.client_id AS id, c.name, g.path, g.scopes, g.created_at, g.last_used_at
  FROM oauth_clients c JOIN oauth_grants g ON g.owner_id = c.owner_id AND g.client_id = c.client_id
 WHERE c.owner_id = %s AND c.kind = 'static' AND g.revoked_at IS NULL
 ORDER BY g.created_at, c.client_id
"""


class OAuthOwner:
    """What the owner may see and do, for one owner. Every method blocks and may raise StoreError."""

    def __init__(self, connect: Connect, owner_id: int) -> None:
        self._connect = connect
        self._owner_id = owner_id

    def clients(self) -> list[dict[str, Any]]:
        """All clients with their grants that hold, and when and for what each was last used."""
        return self._all(_CLIENTS)

    def revoke_client(self, client_id: str) -> bool:
        """End all grants of a client; it may ask again. False where there is no such client."""
        with self._connect() as connection:
            connection.execute(
                "UPDATE oauth_grants SET revoked_at = now() WHERE owner_id = %s AND client_id = %s AND revoked_at IS NULL",
                (self._owner_id, client_id),
            )
            found = connection.execute("SELECT FROM oauth_clients WHERE owner_id = %s AND client_id = %s", (self._owner_id, client_id))
            return found.rowcount == 1

    def delete_client(self, client_id: str) -> bool:
        """Forget a client and all that it was given. False where there is none, or it comes with the product."""
        with self._connect() as connection:
            cursor = connection.execute(
                "DELETE FROM oauth_clients WHERE owner_id = %s AND client_id = %s AND kind <> 'builtin'", (self._owner_id, client_id)
            )
            return cursor.rowcount == 1

    def pending(self) -> list[dict[str, Any]]:
        """Requests that wait for the person, oldest first."""
        return self._all(_PENDING)

    def add_static_token(self, name: str, path: str, scopes: Sequence[str], token: str) -> str:
        """Keep a static token; its id."""
        token_id, grant_id = f"pat-{uuid4().hex[:8]}", uuid4()
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO oauth_clients (owner_id, client_id, kind, name, approved_at) VALUES (%s, %s, 'static', %s, now())",
                (self._owner_id, token_id, name),
            )
            connection.execute(
                "INSERT INTO oauth_grants (owner_id, id, client_id, scopes, path) VALUES (%s, %s, %s, %s, %s)",
                (self._owner_id, grant_id, token_id, list(scopes), path),
            )
            connection.execute(
                "INSERT INTO oauth_tokens (owner_id, token_hash, kind, grant_id) VALUES (%s, %s, 'static', %s)",
                (self._owner_id, digest(token), grant_id),
            )
        return token_id

    def static_tokens(self) -> list[dict[str, Any]]:
        """Those that hold, oldest first."""
        return self._all(_STATIC)

    def set_login(self, username: str, password_hash: str) -> None:
        """From now on this user name and password count; wrong attempts before are forgotten."""
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO oauth_logins (owner_id, username, password_hash) VALUES (%s, %s, %s) ON CONFLICT (owner_id)"
                " DO UPDATE SET username = excluded.username, password_hash = excluded.password_hash, failures = 0, locked_until = NULL",
                (self._owner_id, username, password_hash),
            )

    def _all(self, statement: str) -> list[dict[str, Any]]:
        with self._connect() as connection:
            return connection.cursor(row_factory=dict_row).execute(statement, (self._owner_id,)).fetchall()
