"""Signing keys: one private key per home, and the public halves that tokens are checked against.

The private key is a file of the home (0600) and never enters the database. The public halves of all homes that share a
database are kept in memory and in a file of the home, so that tokens can be checked before the database is up.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from server.paths import Home, create_private, write_private

log = logging.getLogger(__name__)

ALGORITHM = "ES256"
ROTATION_DAYS = 90
KID = re.compile(r"[A-Za-z0-9_-]{43}")  # an RFC 7638 thumbprint: SHA-256 in base64url

PublicJwk = dict[str, str]


class KeyFileError(Exception):
    """The key file cannot be used; the message names the file and the remedy."""


class SigningKey:
    """The private key of one home."""

    def __init__(self, key: ECKey, created: float = 0.0, replaces: str | None = None) -> None:
        self.key = key
        self.kid = key.thumbprint()
        self.created = created  # seconds since the epoch
        self.replaces = replaces  # id of the key before it

    @classmethod
    def generate(cls) -> SigningKey:
        """A new P-256 key."""
        return cls(ECKey.generate_key("P-256", private=True), time.time())

    @classmethod
    def of(cls, home: Home, *, rotate: bool = False) -> SigningKey:
        """The key of a home, made on first use. Of two that make it at once, both get the same one. Raises KeyFileError, OSError.

        With `rotate` (for the server, which holds the home's lock) a key that is older than ROTATION_DAYS is replaced. The
        public half of the old one stays good for as long as tokens that it signed.
        """
        path = home.state / "signing-key.json"
        if not path.exists():
            home.create()
            create_private(path, cls.generate().text())
        current = _read_private(path)
        if rotate and time.time() - current.created > ROTATION_DAYS * 86400:
            current = cls(cls.generate().key, time.time(), current.kid)
            write_private(path, current.text())
        return current

    def text(self) -> str:
        """The key as its file holds it, the private half included."""
        members = {**self.key.as_dict(private=True), "created": self.created, "replaces": self.replaces}
        return json.dumps({name: value for name, value in members.items() if value is not None})

    def public(self) -> PublicJwk:
        """The public half as a JWK with `kid`, `alg` and `use`."""
        return public_jwk(self.key)


def _read_private(path: Path) -> SigningKey:
    try:
        members = json.loads(path.read_text(encoding="utf-8"))
        created, replaces = float(members.pop("created", 0.0)), members.pop("replaces", None)
        key = ECKey.import_key(members)
    except (ValueError, TypeError, KeyError, AttributeError, JoseError):
        key = None  # the cause may quote the key, so it does not travel on
    if key is None or not key.is_private or key.curve_name != "P-256":
        raise KeyFileError(f"{path} does not hold a signing key. Delete it and start again: a new one is made, and clients sign in anew.")
    return SigningKey(key, created, replaces if isinstance(replaces, str) else None)


def public_jwk(key: ECKey) -> PublicJwk:
    """The public half of a key, with nothing but what verifiers need."""
    parts = key.as_dict(private=False)
    return {**{name: str(parts[name]) for name in ("kty", "crv", "x", "y")}, "kid": key.thumbprint(), "alg": ALGORITHM, "use": "sig"}


def _import_public(jwk: Mapping[str, Any]) -> ECKey | None:
    """A P-256 public key, or None where the entry is anything else. Private parts are never taken over."""
    try:
        return ECKey.import_key({name: str(jwk[name]) for name in ("kty", "crv", "x", "y")}) if jwk.get("crv") == "P-256" else None
    except (ValueError, KeyError, JoseError):
        return None


class PublicKeys:
    """The public keys that tokens may be signed with. Safe to use from many threads."""

    def __init__(self, home: Home, own: SigningKey) -> None:
        self._own = own
        self._path = home.state / "jwks.json"
        self._lock = threading.Lock()
        self._fetch: Callable[[], Iterable[Mapping[str, Any]]] | None = None
        self._keys = self._index(self._cached())

    def find(self, kid: str) -> ECKey | None:
        """The key of this id. One that is not known yet is looked for in the database once it is up."""
        if not KID.fullmatch(kid):
            return None
        with self._lock:
            known = self._keys.get(kid)
            fetch = self._fetch
        if known is None and fetch is not None:
            self.replace(fetch())
            with self._lock:
                known = self._keys.get(kid)
        return known

    def fetch_with(self, fetch: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        """From now on the database is up: `fetch` returns all keys that are not retired. The first look happens here."""
        self.replace(fetch())
        with self._lock:
            self._fetch = fetch

    def replace(self, jwks: Iterable[Mapping[str, Any]]) -> None:
        """Trust exactly these and the home's own key, and keep them for the next start."""
        keys = self._index(jwks)
        with self._lock:
            changed = keys.keys() != self._keys.keys()
            self._keys = keys
        if changed or not self._path.exists():
            try:
                write_private(self._path, json.dumps(self.document()))
            except OSError as error:  # a full disk, say; the file only saves the next start from waiting for the database
                log.warning("The public keys cannot be kept in %s: %s.", self._path, error.strerror)

    def document(self) -> dict[str, list[PublicJwk]]:
        """The JWK set (RFC 7517) as `/oauth/jwks` shows it."""
        with self._lock:
            return {"keys": [public_jwk(key) for _, key in sorted(self._keys.items())]}

    def _index(self, jwks: Iterable[Mapping[str, Any]]) -> dict[str, ECKey]:
        keys = {key.thumbprint(): key for key in map(_import_public, jwks) if key is not None}
        keys[self._own.kid] = ECKey.import_key({name: self._own.public()[name] for name in ("kty", "crv", "x", "y")})
        return keys

    def _cached(self) -> list[Mapping[str, Any]]:
        try:
            entries = json.loads(self._path.read_text(encoding="utf-8"))["keys"]
            return [entry for entry in entries if isinstance(entry, dict)]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError):
            log.warning("The cached public keys in %s cannot be read; only this home's key is known until the database is up.", self._path)
            return []
