"""What a server is made of besides its web side: toolsets over a database and a model, as the runtime sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from starlette.routing import Route

from server.oauth.grants import GrantBook
from server.oauth.keys import PublicJwk
from server.oauth.owner import OAuthParts
from server.signals import Signals
from server.toolsets.base import Toolset
from server.web.api.events import EventSource
from server.web.transfer_api import Transfer


class StartError(Exception):
    """A stage cannot start. The message says why and what to do; `retry` where time alone may help (a database elsewhere)."""

    def __init__(self, message: str, *, retry: bool = False) -> None:
        super().__init__(message)
        self.retry = retry


class Parts(Protocol):
    """All attributes are there from the beginning; what is behind them works once its stage is ready.

    `start_…` block until the stage can be used and may be called again after a failure; `stop_…` may be called at any time,
    from another thread, more than once, and make a start that is under way fail soon.
    """

    @property
    def toolsets(self) -> Mapping[str, Toolset]:
        """Path of each endpoint -> what it serves, the main one first."""

    @property
    def grants(self) -> GrantBook:
        """What clients were allowed."""

    @property
    def oauth(self) -> OAuthParts:
        """What the authorization server stands on."""

    @property
    def events(self) -> EventSource:
        """What has changed, for the owner's programs."""

    @property
    def signals(self) -> Signals:
        """Hints that something has changed."""

    @property
    def owner_routes(self) -> Sequence[Route]:
        """The routes of the local API over the memories."""

    def glance(self) -> Mapping[str, Any]:
        """What a status says of the memories: fields of server.api.Status. Empty while the database does not answer."""

    @property
    def transfer(self) -> Transfer:
        """Memories in and out, for the owner's programs."""

    def start_database(self) -> None:
        """Raises StartError."""

    def start_model(self) -> None:
        """Raises StartError."""

    def database_alive(self) -> bool:
        """Whether a started database is still there."""

    def model_alive(self) -> bool:
        """Whether a started model is still there. One that restarts its worker by itself always is."""

    def stop_database(self) -> None:
        """Stop it and wait for the end."""

    def stop_model(self) -> None:
        """Stop it and wait for the end."""

    def register_key(self, jwk: PublicJwk, replaces: str | None) -> None:
        """Make this home's public key known in the database, in the place of an older one. Raises StoreError."""

    def public_keys(self) -> Iterable[Mapping[str, Any]]:
        """The public keys of all homes on this database. Raises StoreError."""
