"""The login of the consent page: a user name and a password, from the environment or set with `ownsona login`."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from server.oauth.opaque import digest
from server.oauth.records import OAuthStore

MAX_CHARS = 1024  # of user name and password each
MIN_PASSWORD_CHARS = 8
DEFAULT_USERNAME = "owner"


class LoginRefusedError(ValueError):
    """A login cannot be set so; the message says why."""


class LockedError(Exception):
    """There were too many wrong passwords; the next one is looked at in so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class FixedLogin:
    """A login from the environment. It goes before one in the database."""

    username: str
    password: str = field(repr=False)


def hash_password(username: str, password: str) -> str:
    """The argon2id hash of a new login's password. Raises LoginRefusedError."""
    if not username.strip() or max(len(username), len(password)) > MAX_CHARS or not (username + password).isprintable():
        raise LoginRefusedError(f"User name and password must be of 1 to {MAX_CHARS} printable characters.")
    if len(password) < MIN_PASSWORD_CHARS:
        raise LoginRefusedError(f"The password must have at least {MIN_PASSWORD_CHARS} characters.")
    return PasswordHasher().hash(password)


class Login:
    """Checks logins, slower with each wrong one. Blocks; raises StoreError."""

    def __init__(self, store: OAuthStore, fixed: FixedLogin | None) -> None:
        self._store = store
        self._fixed = fixed

    def is_set(self) -> bool:
        """Whether anybody can log in."""
        return self._fixed is not None or self._store.login() is not None

    def check(self, username: str, password: str) -> bool:
        """Whether it is the person. Raises LockedError before the password is looked at."""
        seconds = self._store.begin_attempt()
        if seconds:
            raise LockedError(seconds)
        good = self._fixed_matches(self._fixed, username, password) if self._fixed else self._stored_matches(username, password)
        if good:
            self._store.attempt_succeeded()
        return good

    @staticmethod
    def _fixed_matches(fixed: FixedLogin, username: str, password: str) -> bool:
        """Both are compared in any case, and as digests: neither which one is wrong nor its length shows in the time taken."""
        name = hmac.compare_digest(digest(username), digest(fixed.username))
        return hmac.compare_digest(digest(password), digest(fixed.password)) and name

    def _stored_matches(self, username: str, password: str) -> bool:
        stored = self._store.login()
        if stored is None or len(password) > MAX_CHARS:
            return False
        name = hmac.compare_digest(digest(username), digest(stored[0]))
        try:
            PasswordHasher().verify(stored[1], password)
        except (VerificationError, InvalidHashError):
            return False
        return name
