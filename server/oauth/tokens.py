"""Access tokens: ES256 JWTs of the type `at+jwt` (RFC 9068), minted with a home's key and checked by every endpoint."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import ExpiredTokenError, JoseError
from joserfc.jwk import ECKey

from server.oauth.keys import ALGORITHM, PublicKeys, SigningKey

TYPE = "at+jwt"
LIFETIME = 3600  # seconds
SKEW = 60  # seconds that clocks may differ
MAX_TOKEN_CHARS = 8192


class TokenError(Exception):
    """The token is not good here. The message says why in words for the client's log and holds nothing of the token."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What a token that passed all checks says."""

    subject: str
    client_id: str
    client_name: str | None  # what the program at the other end of the stdio bridge calls itself
    grant: str
    scopes: frozenset[str]
    kid: str | None  # None: a static token, which no key signs
    expires_at: int  # seconds since the epoch; 0: never


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """What a new token shall say."""

    issuer: str
    audience: str
    subject: str
    client_id: str
    grant: str
    scopes: Iterable[str]
    client_name: str | None = None
    lifetime: int = LIFETIME


def mint(key: SigningKey, wanted: TokenRequest, now: int | None = None) -> str:
    """A signed access token in compact form."""
    issued = int(time.time()) if now is None else now
    claims: dict[str, Any] = {
        "iss": wanted.issuer,
        "sub": wanted.subject,
        "aud": wanted.audience,
        "iat": issued,
        "exp": issued + wanted.lifetime,
        "jti": secrets.token_urlsafe(16),
        "client_id": wanted.client_id,
        "scope": " ".join(sorted(wanted.scopes)),
        "grant": wanted.grant,
    }
    if wanted.client_name:
        claims["client_name"] = wanted.client_name
    return jwt.encode({"alg": ALGORITHM, "typ": TYPE, "kid": key.kid}, claims, key.key, algorithms=[ALGORITHM])


class TokenVerifier:
    """Checks signature, type, issuer, audience, times and shape. May read the database for a key that it has not seen."""

    def __init__(self, keys: PublicKeys, issuer: str) -> None:
        self.issuer = issuer
        self._keys = keys

    def verify(self, token: str, audiences: Collection[str], now: int | None = None) -> AccessToken:
        """The token's claims where it is good for one of `audiences`. Raises TokenError."""
        if len(token) > MAX_TOKEN_CHARS:
            raise TokenError("The access token is too long.")
        kid, key = self._key_for(token)
        try:
            claims = jwt.decode(token, key, algorithms=[ALGORITHM]).claims
            self._rules(audiences, now).validate(claims)
        except ExpiredTokenError:
            raise TokenError("The access token has expired.") from None
        except (JoseError, ValueError):
            raise TokenError("The access token was not issued by this server for this address.") from None
        return _shape(claims, kid)

    def _key_for(self, token: str) -> tuple[str, ECKey]:
        """Key id and key that the header names, if the header is one that we write."""
        try:
            header = jws.extract_compact(token.encode("ascii")).headers()
        except (JoseError, ValueError):
            raise TokenError("The access token is malformed.") from None
        kid = header.get("kid")
        if header.get("alg") != ALGORITHM or header.get("typ") != TYPE or not isinstance(kid, str):
            raise TokenError("The access token is of a kind that this server does not issue.")
        key = self._keys.find(kid)
        if key is None:
            raise TokenError("The access token is signed with a key that this server does not know.")
        return kid, key

    def _rules(self, audiences: Collection[str], now: int | None) -> jwt.JWTClaimsRegistry:
        return jwt.JWTClaimsRegistry(
            now=now,
            leeway=SKEW,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "values": list(audiences)},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            jti={"essential": True},
        )


def _shape(claims: dict[str, Any], kid: str) -> AccessToken:
    """The claims that are ours, each of the right type."""
    client, grant, name = claims.get("client_id"), claims.get("grant"), claims.get("client_name")
    if not isinstance(client, str) or not isinstance(grant, str) or not isinstance(name, str | None):
        raise TokenError("The access token lacks a claim that this server needs.")
    return AccessToken(claims["sub"], client, name, grant, _scopes(claims.get("scope")), kid, int(claims["exp"]))


def _scopes(claim: object) -> frozenset[str]:
    """A scope claim as one string with blanks, or as a list of strings; anything else grants nothing."""
    if isinstance(claim, str):
        return frozenset(claim.split())
    if isinstance(claim, list):
        return frozenset(scope for scope in claim if isinstance(scope, str))
    return frozenset()
