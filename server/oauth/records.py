"""What the authorization server keeps, and what it asks of its store."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.oauth.opaque import digest
from server.oauth.redirects import matches


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client, in the shape that authlib asks for (its ClientMixin)."""

    client_id: str
    name: str
    metadata: Mapping[str, Any]  # as registered, defaults filled in
    secret_hash: bytes | None  # None: a public client

    @property
    def redirect_uris(self) -> Sequence[str]:
        """As registered."""
        uris: Sequence[str] = self.metadata["redirect_uris"]
        return uris

    def get_default_redirect_uri(self) -> str | None:
        """Where a request goes that names no address: to one that is registered as the only one, and allowed."""
        only = self.redirect_uris[0] if len(self.redirect_uris) == 1 else None
        return only if only is not None and self.check_redirect_uri(only) else None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        """Whether an address is one of the client's. The policy is applied again: it may have become stricter."""
        return any(matches(registered, redirect_uri) for registered in self.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        """In constant time."""
        return self.secret_hash is not None and hmac.compare_digest(digest(client_secret), self.secret_hash)

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """A client with a secret may send it either way; one without has nothing to send."""
        return (method == "none") == (self.secret_hash is None)

    def check_response_type(self, response_type: str) -> bool:
        """Codes only."""
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        """What it registered."""
        return grant_type in self.metadata["grant_types"]

    def get_allowed_scope(self, scope: str | None) -> str:
        """All that is asked for: what an endpoint knows is sorted out when the endpoint is known."""
        return scope or ""


@dataclass(frozen=True, slots=True)
class Pending:
    """An authorization request that waits for the person."""

    client_id: str
    client_name: str
    redirect_uri: str
    redirect_given: bool  # whether the request named it
    state: str | None
    scopes: tuple[str, ...]
    path: str  # of the endpoint that it is for
    code_challenge: str
    decision: str | None = None  # allowed, denied
    cookie_hash: bytes = b""


@dataclass(frozen=True, slots=True)
class Code:
    """A code that is good now, in the shape that authlib asks for."""

    code_hash: bytes
    client_id: str
    grant_id: str
    redirect_uri: str | None
    scopes: tuple[str, ...]
    path: str
    code_challenge: str
    code_challenge_method: str = "S256"

    def get_redirect_uri(self) -> str | None:
        """None where the authorization request named none."""
        return self.redirect_uri

    def get_scope(self) -> str:
        """The granted scopes."""
        return " ".join(self.scopes)


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A refresh token that may be exchanged now, in the shape that authlib asks for."""

    token_hash: bytes
    client_id: str
    grant_id: str
    scopes: tuple[str, ...]  # of the grant
    path: str

    def check_client(self, client: Client) -> bool:
        """Whether it is this client's."""
        return self.client_id == client.client_id

    def get_scope(self) -> str:
        """The granted scopes."""
        return " ".join(self.scopes)


class OAuthStore(Protocol):
    """Where all of it is kept, for all servers together. Every method blocks and may raise StoreError."""

    def add_client(self, client: Client) -> None:
        """Keep a registration; of those that nobody ever approved, the oldest beyond a limit are dropped."""

    def client(self, client_id: str) -> Client | None:
        """A registered client."""

    def add_request(self, request_id: str, pending: Pending) -> None:
        """Keep a request; of those that wait, the oldest beyond a limit per client and in all are dropped."""

    def request(self, request_id: str) -> Pending | None:
        """A request that has neither been finished nor expired."""

    def decide(self, id_hash: bytes, scopes: Sequence[str] | None) -> bool:
        """The person's answer: the granted scopes, or None for no. False where it is answered or gone."""

    def finish(self, request_id: str, code: str) -> Pending | None:
        """Take away an answered request; where it was allowed, `code` is good from now on. Once only."""

    def code(self, code: str) -> Code | None:
        """A code that is good now. One that was used before ends the grant that it began."""

    def redeem(self, code: Code, refresh_token: str | None) -> bool:
        """Use a code up, begin its grant and keep the first refresh token. False for all but the first caller."""

    def refresh_token(self, token: str, client_id: str) -> RefreshToken | None:
        """A token that may be exchanged. One of this client's that was exchanged before the grace ends its grant."""

    def rotate(self, old: RefreshToken, new: str) -> bool:
        """Mark the old token as exchanged and keep the new one. False where it may not be exchanged any more."""

    def grant_of(self, refresh_token: str) -> tuple[str, str] | None:
        """Client and grant of a refresh token, whatever its state."""

    def revoke_grant(self, grant_id: str) -> bool:
        """End a grant with all its tokens. False where there is none that holds."""

    def rate(self, kind: str, address: str, limit: int) -> int:
        """Count a request. Seconds to wait where there were more than `limit` in this minute, else 0."""

    def login(self) -> tuple[str, str] | None:
        """User name and argon2 hash, where a login was set."""

    def begin_attempt(self) -> int:
        """Count an attempt to log in before the password is looked at. Seconds to wait, or 0 where it may be looked at."""

    def attempt_succeeded(self) -> None:
        """The attempts before it are forgotten."""
