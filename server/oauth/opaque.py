"""Opaque secrets (codes, refresh tokens, static tokens, request ids): 256 random bits, of which only the SHA-256 is kept."""

from __future__ import annotations

import hashlib
import secrets

STATIC_PREFIX = "ownsona_pat_"


def new_secret(prefix: str = "") -> str:
    """A prefix and 43 characters of base64url."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """What is kept of a secret. No salt or stretching: 256 random bits cannot be guessed. Any text has a digest."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
