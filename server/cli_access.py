"""The commands about access: `ownsona login` and `ownsona token create, list, revoke`. They ask the running server.

Standard library only, as in server.cli.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from server.joining import LocalApiError, Running, ask, find
from server.paths import Home


def set_login(home: Home, username: str) -> str:
    """Ask twice for a password and set it; what to tell the person. Raises LocalApiError."""
    running = _running(home)
    password = _read_password("Password: ")
    if password != _read_password("The same again: "):
        raise LocalApiError("The two passwords differ. Nothing was changed.")
    answer = ask(home, running, "POST", "/oauth/login", body={"username": username, "password": password})
    if answer.get("from_environment"):
        return "The login was stored, but OWNSONA_LOGIN_USERNAME and OWNSONA_LOGIN_PASSWORD of the running server go before it."
    return f"From now on, log in to the consent page as {username} with this password."


def create_token(home: Home, name: str, path: str, scopes: Sequence[str] | None) -> str:
    """A new static token. Raises LocalApiError."""
    wanted = {"name": name, "path": path, **({"scopes": list(scopes)} if scopes else {})}
    return str(ask(home, _running(home), "POST", "/oauth/tokens", body=wanted)["token"])


def list_tokens(home: Home) -> list[str]:
    """One line for each static token. Raises LocalApiError."""
    tokens = ask(home, _running(home), "GET", "/oauth/tokens")["tokens"]
    return [_line(token) for token in tokens] or ["There are no static tokens. `ownsona token create NAME` makes one."]


def revoke_token(home: Home, token_id: str) -> str:
    """Take a static token back; what to tell the person. Raises LocalApiError."""
    running = _running(home)
    if token_id not in [token["id"] for token in ask(home, running, "GET", "/oauth/tokens")["tokens"]]:
        raise LocalApiError(f"There is no token {token_id}. `ownsona token list` shows them.")
    ask(home, running, "DELETE", f"/oauth/clients/{quote(token_id, safe='')}")
    return f"The token {token_id} is good no more."


def _running(home: Home) -> Running:
    running = find(home)
    if running is None:
        raise LocalApiError("OwnSona is not running. Start it with `ownsona serve`, then try again.")
    return running


def _read_password(prompt: str) -> str:
    """Without echo; from a pipe as a line, so that a script can set it without the command line."""
    if sys.stdin.isatty():
        return getpass.getpass(prompt)
    return sys.stdin.readline().rstrip("\r\n")


def _line(token: dict[str, Any]) -> str:
    used = f"last used {token['last_used_at'][:16]}" if token["last_used_at"] else "never used"
    return f"{token['id']}  {token['name']}  {token['path']}  {' '.join(token['scopes'])}  {used}"
