"""SQL of the authorization server: clients, requests that wait, codes, refresh tokens, limits. Secrets come in and stay out.

What may happen only once (a decision, the end of a request, the use of a code) is one statement that takes the row and says
whether it was there; all times are the database's, so that several servers agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from psycopg.rows import dict_row, tuple_row
from psycopg.types.json import Jsonb

from server.oauth.opaque import digest
from server.oauth.records import Client, Code, Pending, RefreshToken
from server.store.oauth import Connect

MAX_UNAPPROVED = 1000  # registrations that nobody ever approved
MAX_PENDING, MAX_PENDING_OF_CLIENT = 200, 10
# A client's other windows and processes may exchange the same refresh token for so long; later it is taken for stolen.
GRACE = "interval '60 seconds'"
REQUEST_LIFETIME = "interval '10 minutes'"
CODE_LIFETIME = "interval '60 seconds'"
IDLE, ABSOLUTE = "interval '90 days'", "interval '1 year'"

_DROP_UNAPPROVED = """
DELETE FROM oauth_clients WHERE owner_id = %(owner)s AND client_id IN (
    SELECT client_id FROM oauth_clients c
     WHERE owner_id = %(owner)s AND kind = 'registered' AND approved_at IS NULL AND client_id <> %(client)s
       AND NOT EXISTS (SELECT FROM oauth_requests r WHERE r.owner_id = c.owner_id AND r.client_id = c.client_id AND r.expires_at > now())
     ORDER BY created_at DESC OFFSET %(keep)s)
"""
_PURGE = (
    "DELETE FROM oauth_requests WHERE owner_id = %(owner)s AND expires_at <= now()",
    "DELETE FROM oauth_codes WHERE owner_id = %(owner)s AND expires_at < now() - interval '1 day'",
    "DELETE FROM oauth_tokens WHERE owner_id = %(owner)s AND kind = 'refresh'"
    " AND (expires_at <= now() OR used_at < now() - interval '30 days')",
)
_CAP_PENDING = """
DELETE FROM oauth_requests WHERE owner_id = %(owner)s AND id_hash IN (
    SELECT id_hash FROM oauth_requests WHERE owner_id = %(owner)s AND (%(client)s::text IS NULL OR client_id = %(client)s)
     ORDER BY created_at DESC OFFSET %(keep)s)
"""
_ADD_CLIENT = """
INSERT INTO oauth_clients (owner_id, client_id, kind, name, metadata, secret_hash) VALUES (%s, %s, 'registered', %s, %s, %s)
"""
_ADD_CODE = f"""
INSERT INTO oauth_codes (owner_id, code_hash, client_id, grant_id, redirect_uri, scopes, path, code_challenge, expires_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, now() + {CODE_LIFETIME})
"""  # noqa: S608  a constant of this module
_ADD_REFRESH = f"""
INSERT INTO oauth_tokens (owner_id, token_hash, kind, grant_id, expires_at) VALUES (%s, %s, 'refresh', %s, now() + {IDLE})
"""  # noqa: S608  a constant of this module
_ADD_REQUEST = f"""
INSERT INTO oauth_requests
    (owner_id, id_hash, cookie_hash, client_id, redirect_uri, redirect_given, state, scopes, path, code_challenge, expires_at)
SELECT %s, %s, %s, client_id, %s, %s, %s, %s, %s, %s, now() + {REQUEST_LIFETIME}
  FROM oauth_clients WHERE owner_id = %s AND client_id = %s
"""  # noqa: S608  a constant of this module
_REQUEST = """
SELECT r.client_id, c.name AS client_name, redirect_uri, redirect_given, state, scopes, path, code_challenge, decision, cookie_hash
  FROM oauth_requests r JOIN oauth_clients c USING (owner_id, client_id)
 WHERE owner_id = %s AND id_hash = %s AND expires_at > now()
"""
_FINISH = """
DELETE FROM oauth_requests r USING oauth_clients c
 WHERE r.owner_id = %s AND r.id_hash = %s AND r.expires_at > now() AND r.decision IS NOT NULL
   AND c.owner_id = r.owner_id AND c.client_id = r.client_id
RETURNING r.client_id, c.name AS client_name, r.redirect_uri, r.redirect_given, r.state, r.scopes, r.path, r.code_challenge,
          r.decision, r.cookie_hash
"""
_REFRESH = f"""
SELECT t.token_hash, g.client_id, g.id::text AS grant_id, g.scopes, g.path,
       t.expires_at > now() AND g.revoked_at IS NULL AS holds,
       coalesce(t.used_at <= now() - {GRACE}, false) AS reused
  FROM oauth_tokens t JOIN oauth_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
 WHERE t.owner_id = %s AND t.token_hash = %s AND t.kind = 'refresh' AND g.client_id = %s
"""  # noqa: S608  a constant of this module
_ROTATE = f"""
WITH old AS (
    UPDATE oauth_tokens t SET used_at = coalesce(t.used_at, now()) FROM oauth_grants g
     WHERE t.owner_id = %(owner)s AND t.token_hash = %(old)s AND t.kind = 'refresh' AND t.expires_at > now()
       AND (t.used_at IS NULL OR t.used_at > now() - {GRACE})
       AND g.owner_id = t.owner_id AND g.id = t.grant_id AND g.revoked_at IS NULL
    RETURNING t.grant_id, g.created_at)
INSERT INTO oauth_tokens (owner_id, token_hash, kind, grant_id, expires_at)
SELECT %(owner)s, %(new)s, 'refresh', grant_id, least(now() + {IDLE}, created_at + {ABSOLUTE}) FROM old
"""  # noqa: S608  a constant of this module
# The fifth wrong password costs 5 seconds, each further one twice as much, up to a quarter of an hour.
_BEGIN_ATTEMPT = """
INSERT INTO oauth_logins AS l (owner_id, failures, last_try_at) VALUES (%(owner)s, 1, now())
ON CONFLICT (owner_id) DO UPDATE SET
    failures = CASE WHEN l.last_try_at < now() - interval '1 day' THEN 1 ELSE least(l.failures + 1, 20) END,
    last_try_at = now(),
    locked_until = CASE WHEN l.failures + 1 >= 5 AND l.last_try_at >= now() - interval '1 day'
                        THEN now() + least(900, 5 * 2 ^ (l.failures - 4)) * interval '1 second' END
WHERE l.locked_until IS NULL OR l.locked_until <= now()
"""
_RATE = """
INSERT INTO oauth_rates AS r (owner_id, kind, address, minute, requests) VALUES (%s, %s, %s, date_trunc('minute', now()), 1)
ON CONFLICT (owner_id, kind, address) DO UPDATE SET
    requests = CASE WHEN r.minute = excluded.minute THEN r.requests + 1 ELSE 1 END, minute = excluded.minute
RETURNING requests, ceil(extract(epoch FROM minute + interval '1 minute' - now()))::int
"""


class OAuthFlow:
    """Implements server.oauth.records.OAuthStore for one owner."""

    def __init__(self, connect: Connect, owner_id: int) -> None:
        self._connect = connect
        self._owner_id = owner_id

    def add_client(self, client: Client) -> None:
        """Keep a registration, and drop old ones that nobody wanted."""
        with self._connect() as connection:
            connection.execute(
                _ADD_CLIENT,
                (self._owner_id, client.client_id, client.name, Jsonb(dict(client.metadata)), client.secret_hash),
            )
            connection.execute(_DROP_UNAPPROVED, {"owner": self._owner_id, "client": client.client_id, "keep": MAX_UNAPPROVED - 1})

    def client(self, client_id: str) -> Client | None:
        """A registered client."""
        row = self._one(
            "SELECT client_id, name, metadata, secret_hash FROM oauth_clients"
            " WHERE owner_id = %s AND client_id = %s AND kind = 'registered'",
            client_id,
        )
        return Client(**row) if row else None

    def add_request(self, request_id: str, pending: Pending) -> None:
        """Keep a request, and forget what is over."""
        with self._connect() as connection:
            for statement in _PURGE:
                connection.execute(statement, {"owner": self._owner_id})
            connection.execute(
                _ADD_REQUEST,
                (
                    *(self._owner_id, digest(request_id), pending.cookie_hash),
                    *(pending.redirect_uri, pending.redirect_given, pending.state),
                    *(list(pending.scopes), pending.path, pending.code_challenge, self._owner_id, pending.client_id),
                ),
            )
            for client, keep in ((pending.client_id, MAX_PENDING_OF_CLIENT), (None, MAX_PENDING)):
                connection.execute(_CAP_PENDING, {"owner": self._owner_id, "client": client, "keep": keep})

    def request(self, request_id: str) -> Pending | None:
        """A request that waits."""
        return _pending(self._one(_REQUEST, digest(request_id)))

    def decide(self, id_hash: bytes, scopes: Sequence[str] | None) -> bool:
        """The person's answer. Of two at once, one counts."""
        with self._connect() as connection:
            cursor = connection.execute(
                "UPDATE oauth_requests SET decision = %s, scopes = coalesce(%s::text[], scopes)"
                " WHERE owner_id = %s AND id_hash = %s AND decision IS NULL AND expires_at > now()",
                ("denied" if scopes is None else "allowed", scopes and list(scopes), self._owner_id, id_hash),
            )
            return cursor.rowcount == 1

    def finish(self, request_id: str, code: str) -> Pending | None:
        """Take an answered request away and, where it was allowed, keep the code."""
        with self._connect() as connection:
            row = connection.cursor(row_factory=dict_row).execute(_FINISH, (self._owner_id, digest(request_id))).fetchone()
            pending = _pending(row)
            if pending is not None and pending.decision == "allowed":
                connection.execute(
                    _ADD_CODE,
                    (
                        *(self._owner_id, digest(code), pending.client_id, uuid4()),
                        pending.redirect_uri if pending.redirect_given else None,
                        *(list(pending.scopes), pending.path, pending.code_challenge),
                    ),
                )
                connection.execute(
                    "UPDATE oauth_clients SET approved_at = coalesce(approved_at, now()) WHERE owner_id = %s AND client_id = %s",
                    (self._owner_id, pending.client_id),
                )
        return pending

    def code(self, code: str) -> Code | None:
        """A code that is good now."""
        row = self._one(
            "SELECT code_hash, client_id, grant_id::text, redirect_uri, scopes, path, code_challenge, used_at, expires_at > now() AS fresh"
            "  FROM oauth_codes WHERE owner_id = %s AND code_hash = %s",
            digest(code),
        )
        if row is None:
            return None
        used, fresh = row.pop("used_at"), row.pop("fresh")
        if used is not None:
            self.revoke_grant(row["grant_id"])
        return Code(**{**row, "scopes": tuple(row["scopes"])}) if fresh and used is None else None

    def redeem(self, code: Code, refresh_token: str | None) -> bool:
        """Use a code up and begin its grant."""
        with self._connect() as connection:
            cursor = connection.execute(
                "UPDATE oauth_codes SET used_at = now() WHERE owner_id = %s AND code_hash = %s AND used_at IS NULL AND expires_at > now()",
                (self._owner_id, code.code_hash),
            )
            if cursor.rowcount != 1:
                return False
            connection.execute(
                "INSERT INTO oauth_grants (owner_id, id, client_id, scopes, path) VALUES (%s, %s, %s, %s, %s)",
                (self._owner_id, code.grant_id, code.client_id, list(code.scopes), code.path),
            )
            if refresh_token is not None:
                connection.execute(
                    _ADD_REFRESH,
                    (self._owner_id, digest(refresh_token), code.grant_id),
                )
        return True

    def refresh_token(self, token: str, client_id: str) -> RefreshToken | None:
        """A refresh token that may be exchanged."""
        row = self._one(_REFRESH, digest(token), client_id)
        if row is None:
            return None
        holds, reused = row.pop("holds"), row.pop("reused")
        if reused:
            self.revoke_grant(row["grant_id"])
        return RefreshToken(**{**row, "scopes": tuple(row["scopes"])}) if holds and not reused else None

    def rotate(self, old: RefreshToken, new: str) -> bool:
        """Exchange a refresh token."""
        with self._connect() as connection:
            values = {"owner": self._owner_id, "old": old.token_hash, "new": digest(new)}
            return connection.execute(_ROTATE, values).rowcount == 1

    def grant_of(self, refresh_token: str) -> tuple[str, str] | None:
        """Client and grant of a refresh token."""
        row = self._one(
            "SELECT g.client_id, g.id::text AS grant_id FROM oauth_tokens t"
            "  JOIN oauth_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id"
            " WHERE t.owner_id = %s AND t.token_hash = %s AND t.kind = 'refresh'",
            digest(refresh_token),
        )
        return (row["client_id"], row["grant_id"]) if row else None

    def revoke_grant(self, grant_id: str) -> bool:
        """End a grant."""
        with self._connect() as connection:
            cursor = connection.execute(
                "UPDATE oauth_grants SET revoked_at = now() WHERE owner_id = %s AND id::text = %s AND revoked_at IS NULL",
                (self._owner_id, grant_id),
            )
            return cursor.rowcount == 1

    def rate(self, kind: str, address: str, limit: int) -> int:
        """Count a request in this minute."""
        with self._connect() as connection:
            row = connection.cursor(row_factory=tuple_row).execute(_RATE, (self._owner_id, kind, address)).fetchone()
        requests, seconds = row or (1, 0)
        return max(1, seconds) if requests > limit else 0

    def login(self) -> tuple[str, str] | None:
        """User name and hash."""
        row = self._one("SELECT username, password_hash FROM oauth_logins WHERE owner_id = %s AND password_hash IS NOT NULL")
        return (row["username"], row["password_hash"]) if row else None

    def begin_attempt(self) -> int:
        """Count an attempt; many at once cannot get around it."""
        with self._connect() as connection:
            if connection.execute(_BEGIN_ATTEMPT, {"owner": self._owner_id}).rowcount == 1:
                return 0
        row = self._one("SELECT ceil(extract(epoch FROM locked_until - now()))::int AS seconds FROM oauth_logins WHERE owner_id = %s")
        return max(1, row["seconds"] if row and row["seconds"] else 1)

    def attempt_succeeded(self) -> None:
        """Forget the wrong ones."""
        with self._connect() as connection:
            connection.execute("UPDATE oauth_logins SET failures = 0, locked_until = NULL WHERE owner_id = %s", (self._owner_id,))

    def _one(self, statement: str, *values: object) -> dict[str, Any] | None:
        with self._connect() as connection:
            row: dict[str, Any] | None = connection.cursor(row_factory=dict_row).execute(statement, (self._owner_id, *values)).fetchone()
            return row


def _pending(row: dict[str, Any] | None) -> Pending | None:
    return Pending(**{**row, "scopes": tuple(row["scopes"])}) if row else None
