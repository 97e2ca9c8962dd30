"""Refusals of the resource server: the RFC 6750 / RFC 9728 challenge and the envelope in the body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.wire import compact

METADATA_PATH = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer with a challenge; `body` is JSON."""

    status: int
    challenge: str
    body: bytes


def _quoted(value: str) -> str:
    return '"' + "".join(" " if char in '"\\' or not " " <= char <= "~" else char for char in value) + '"'


def _challenge(metadata_url: str, scopes: Iterable[str], error: str | None, description: str | None) -> str:
    fields = {"error": error, "error_description": description, "resource_metadata": metadata_url, "scope": " ".join(sorted(scopes))}
    return "Bearer " + ", ".join(f"{name}={_quoted(value)}" for name, value in fields.items() if value)


def _body(code: str, message: str) -> bytes:
    return compact({"ok": False, "error": {"code": code, "message": message}})


def missing_token(metadata_url: str, scopes: Iterable[str]) -> Refusal:
    """401: no token was sent."""
    message = "An access token is needed: send it as Authorization: Bearer TOKEN. `ownsona token` prints one."
    return Refusal(401, _challenge(metadata_url, scopes, None, None), _body("AUTH_REQUIRED", message))


def bad_token(metadata_url: str, scopes: Iterable[str], reason: str) -> Refusal:
    """401: a token was sent, and it is not good here."""
    return Refusal(401, _challenge(metadata_url, scopes, "invalid_token", reason), _body("AUTH_FAILED", f"{reason} Sign in again."))


def insufficient_scope(metadata_url: str, needed: Iterable[str]) -> Refusal:
    """403: the token is good, and lacks a scope; the challenge names all that the tool needs."""
    scopes = sorted(needed)
    reason = f"This tool needs the scopes {' '.join(scopes)}."
    return Refusal(
        403, _challenge(metadata_url, scopes, "insufficient_scope", reason), _body("AUTH_FAILED", f"{reason} Allow them for this client.")
    )


def bearer_token(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The token of the one Authorization header; "" where there is a header that holds none, None without a header."""
    values = [value for name, value in headers if name.lower() == b"authorization"]
    if not values:
        return None
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    return token.strip() if len(values) == 1 and scheme.lower() == "bearer" else ""
