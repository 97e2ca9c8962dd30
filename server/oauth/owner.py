"""What the owner may see and do about access, as the local API asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.oauth.login import FixedLogin
from server.oauth.records import OAuthStore


class OwnerAccess(Protocol):
    """Where it is kept. Every method blocks and may raise StoreError."""

    def clients(self) -> Sequence[Mapping[str, Any]]:
        """All clients with their grants that hold, and when and for what each was last used."""

    def revoke_client(self, client_id: str) -> bool:
        """End all grants of a client. False where there is no such client."""

    def delete_client(self, client_id: str) -> bool:
        """Forget a client and all that it was given. False where there is none, or it comes with the product."""

    def pending(self) -> Sequence[Mapping[str, Any]]:
        """Requests that wait for the person, oldest first; `id` is their digest in hexadecimal digits."""

    def add_static_token(self, name: str, path: str, scopes: Sequence[str], token: str) -> str:
        """Keep a static token; its id."""

    def static_tokens(self) -> Sequence[Mapping[str, Any]]:
        """Those that hold, oldest first."""

    def set_login(self, username: str, password_hash: str) -> None:
        """From now on this user name and password count."""


@dataclass(frozen=True, slots=True)
class OAuthParts:
    """What the authorization server stands on."""

    store: OAuthStore
    owner: OwnerAccess
    fixed_login: FixedLogin | None = None
