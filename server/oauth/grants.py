"""Grants: what the person has allowed a client. Each tool call looks at its grant, so that a revoked client is out at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from server.oauth.tokens import AccessToken


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant that holds now."""

    client: str  # the name that the journal shows
    owner_id: int
    scopes: frozenset[str]


class GrantBook(Protocol):
    """Where grants are kept."""

    def look(self, token: AccessToken, tool: str = "") -> Grant | None:
        """The grant behind a token, or None where it or the key was revoked; its use of `tool` is noted, at most once a minute.

        Blocks; raises StoreError.
        """

    def static_token(self, token: str, paths: Collection[str]) -> AccessToken | None:
        """A static token that is good for one of these endpoints. Blocks; raises StoreError."""
