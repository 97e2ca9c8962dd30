"""Where the owner's token is kept: in a file of the home (0600), or in the system's keychain for those who ask for it.

The choice is made by the person, kept in the home, and never guessed: `keyring` is told which backend to use, and is not
imported before somebody has chosen it. Nothing here ever opens a dialog: a locked keychain counts as not reachable.
Standard library only at import.
"""

from __future__ import annotations

import importlib
import json
import secrets
import sys
from typing import Any

from server.paths import Home, create_private, write_private

FILE, KEYCHAIN = "file", "keychain"
SERVICE = "OwnSona Desktop"
BACKENDS = {
    "linux": "keyring.backends.SecretService.Keyring",
    "darwin": "keyring.backends.macOS.Keyring",
    "win32": "keyring.backends.Windows.WinVaultKeyring",
}


class SecretsError(OSError):
    """The keychain cannot be used; the message says why and what to do."""


def chosen(home: Home) -> str:
    """`file`, or the name of the keychain's backend."""
    try:
        backend = json.loads(_choice(home).read_text(encoding="utf-8"))["backend"]
    except FileNotFoundError:
        return FILE
    except (ValueError, TypeError, KeyError):
        raise SecretsError(f"{_choice(home)} cannot be read. Run `ownsona secrets file` or `ownsona secrets keychain`.") from None
    return str(backend)


def owner_token(home: Home) -> str:
    """The owner's token, made on first use. Raises SecretsError where it is in a keychain that is not reachable."""
    backend = chosen(home)
    if backend == FILE:
        path = home.state / "owner-token"
        if not path.exists():
            home.create()
            create_private(path, secrets.token_urlsafe(32))
        return path.read_text(encoding="utf-8").strip()
    token = _keychain(backend).get(_account(home))
    if token is None:
        raise SecretsError(f"The keychain ({backend}) does not hold the owner's token. Run `ownsona secrets file` to make a new one.")
    return token


def move(home: Home, where: str, platform: str = sys.platform) -> str:
    """Keep the token in `file` or `keychain` from now on; the backend's name. Raises SecretsError.

    The token stays the same where it can be read.
    """
    home.create()
    if where == KEYCHAIN:
        backend = BACKENDS.get(platform, BACKENDS["linux"])
        _keychain(backend).set(_account(home), owner_token(home))
        _remember(home, backend)
        (home.state / "owner-token").unlink(missing_ok=True)
        return backend
    try:
        old = chosen(home)
        token = owner_token(home)
        if old != FILE:
            _keychain(old).delete(_account(home))
    except SecretsError:  # it cannot be read, so a new one is made
        token = secrets.token_urlsafe(32)
    write_private(home.state / "owner-token", token)
    _remember(home, FILE)
    return FILE


class _Keychain:
    """One backend of `keyring`, named by the person's choice."""

    def __init__(self, backend: Any, errors: tuple[type[Exception], ...], name: str) -> None:
        self._backend = backend
        self._errors = errors
        self._name = name

    def get(self, account: str) -> str | None:
        """None where there is no such entry."""
        value = self._call("get_password", account)
        return None if value is None else str(value)

    def set(self, account: str, value: str) -> None:
        """Store or replace."""
        self._call("set_password", account, value)

    def delete(self, account: str) -> None:
        """Remove."""
        self._call("delete_password", account)

    def _call(self, method: str, *values: str) -> Any:
        try:
            return getattr(self._backend, method)(SERVICE, *values)
        except self._errors:
            raise _unreachable(self._name) from None


def _keychain(name: str) -> _Keychain:
    if name not in BACKENDS.values():
        raise SecretsError(f"{name} is not a keychain that OwnSona uses. Run `ownsona secrets file` or `ownsona secrets keychain`.")
    from keyring.errors import InitError, KeyringError

    module, _, kind = name.rpartition(".")
    try:
        more = _require_unlocked() if name == BACKENDS["linux"] else ()
        backend = getattr(importlib.import_module(module), kind)
        if not backend.viable:
            raise _unreachable(name)
        return _Keychain(backend(), (KeyringError, *more), name)
    except (KeyringError, InitError, ImportError):
        raise _unreachable(name) from None


def _require_unlocked() -> tuple[type[Exception], ...]:
    """Raises SecretsError where the collection is locked: reading it would open a dialog. Else the errors of the Secret Service."""
    import secretstorage
    from jeepney.wrappers import DBusErrorResponse

    try:
        connection = secretstorage.dbus_init()
        try:
            locked = secretstorage.get_default_collection(connection).is_locked()
        finally:
            connection.close()
    except (secretstorage.SecretStorageException, DBusErrorResponse, OSError, KeyError):
        locked = True
    if locked:
        raise _unreachable(BACKENDS["linux"])
    return (secretstorage.SecretStorageException, DBusErrorResponse)


def _unreachable(name: str) -> SecretsError:
    return SecretsError(
        f"The keychain ({name}) is locked or not reachable. Unlock it and try again, or run `ownsona secrets file`"
        " to keep the owner's token in a file that only you can read."
    )


def _choice(home: Home) -> Any:
    return home.config / "secrets.json"


def _account(home: Home) -> str:
    return f"owner token of {home.state}"


def _remember(home: Home, backend: str) -> None:
    write_private(_choice(home), json.dumps({"backend": backend}))
