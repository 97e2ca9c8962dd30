"""The real web side, runtime and command line in one process or as a program, over the probe toolset instead of the memories.

Run as a program it takes the options of `ownsona serve`. The database stage is ready at once, so what is tested with it is
the life of the server itself; the tests with the real database are beside those of the store.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, NoReturn
from unittest import mock

from starlette.routing import Route

from server import cli
from server.memory.model import Conflict, InvalidInput
from server.memory.ports import EmbeddingError, StoreError
from server.oauth.builtin import ALL_SCOPES, OWNER_ID
from server.oauth.grants import Grant
from server.oauth.keys import PublicJwk
from server.oauth.owner import OAuthParts
from server.oauth.tokens import AccessToken
from server.parts import StartError
from server.paths import Home
from server.settings import Settings
from server.signals import Signals
from server.store.events import Happening, Position
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from server.web.api.events import EventSource
from tests.probe_toolset import ProbeToolset


class ProbeGrants:
    """Every grant holds until it is revoked here."""

    def __init__(self) -> None:
        self.revoked: set[str] = set()
        self.scopes = frozenset(ALL_SCOPES)

    def look(self, token: AccessToken, tool: str = "") -> Grant | None:
        """The grant, unless it is in `revoked`."""
        del tool
        return None if token.grant in self.revoked else Grant(token.client_name or token.client_id, 1, self.scopes)

    def static_token(self, token: str, paths: Collection[str]) -> AccessToken | None:
        """There is none."""
        del token, paths
        return None


def no_database() -> NoReturn:
    """A connection that cannot be had: these tests are about something else than what is behind it."""
    raise StoreError("There is no database here.")


class ProbeEvents:
    """Nothing ever happens."""

    def now(self) -> Position:
        """The beginning."""
        return Position(0, 0)

    def after(self, position: Position) -> Sequence[Happening]:
        """None."""
        del position
        return []


class ProbeTransfer:
    """A file of two pieces, and a step that changes nothing."""

    def __init__(self) -> None:
        self.fails_at = 2  # the piece at which the database goes away

    def export(self, form: str) -> Generator[bytes]:
        """The pieces of the only format."""
        for number, piece in enumerate({"ownsona": (b"first ", b"second")}[form]):
            if number == self.fails_at:
                raise StoreError("The database went away.")
            yield piece

    def take(self, body: object) -> Mapping[str, Any]:
        """What was sent, or a refusal as the test wants it."""
        faults = {"refuse": InvalidInput("As asked."), "conflict": Conflict("As asked."), "embed": EmbeddingError("No model.")}
        if isinstance(body, str):
            raise faults.get(body, StoreError("No database."))
        return {"taken": body}


class ProbeParts:
    """Implements server.parts.Parts."""

    def __init__(self, home: Home, settings: Settings) -> None:
        del home, settings
        self.toolset = ProbeToolset()
        self.toolsets = {"/mcp": self.toolset, "/mcp/other": ProbeToolset()}
        self.grants = ProbeGrants()
        self.events: EventSource = ProbeEvents()
        self.signals = Signals()
        self.owner_routes: list[Route] = []
        self.transfer = ProbeTransfer()
        self.oauth = OAuthParts(OAuthFlow(no_database, OWNER_ID), OAuthOwner(no_database, OWNER_ID))
        self.keys: list[PublicJwk] = []
        self.gone = False  # the database does not answer
        self.database_gate = threading.Event()
        self.database_gate.set()
        self.model_gate = threading.Event()
        self.model_gate.set()
        self.failing: dict[str, StartError] = {}

    def glance(self) -> Mapping[str, Any]:
        """There are no memories."""
        return {}

    def start_database(self) -> None:
        """Wait for the gate, then fail or not as the test wants it."""
        self._start(self.database_gate, "database")

    def start_model(self) -> None:
        """Wait for the gate, then fail or not as the test wants it."""
        self._start(self.model_gate, "model")

    def _start(self, gate: threading.Event, name: str) -> None:
        gate.wait(20)
        if name in self.failing:
            raise self.failing[name]

    def database_alive(self) -> bool:
        """Always."""
        return True

    def model_alive(self) -> bool:
        """Always."""
        return True

    def stop_database(self) -> None:
        """A start under way ends."""
        self.database_gate.set()

    def stop_model(self) -> None:
        """A start under way ends."""
        self.model_gate.set()

    def register_key(self, jwk: PublicJwk, replaces: str | None) -> None:
        """Keep it."""
        del replaces
        self.keys.append(jwk)

    def public_keys(self) -> Iterable[Mapping[str, Any]]:
        """What was kept."""
        if self.gone:
            raise StoreError("The database went away.")
        return self.keys


if __name__ == "__main__":
    with mock.patch.object(cli, "make_parts", ProbeParts):
        sys.exit(cli.main(sys.argv[1:]))
