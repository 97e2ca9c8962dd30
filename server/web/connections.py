"""Connections that use up no more than their share: a request must arrive in time, and only so many of them may be open."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from server.listening import connection_limit

REQUEST_SECONDS = 60.0  # for a whole request, from the connection or its first byte on; 4 MiB take 35 s at 1 Mbit/s
ARRIVING = {h11.IDLE, h11.SEND_BODY}


class Connection(H11Protocol):
    """One connection. Whoever has sent only part of a request, or nothing, is closed after a while, or at once for a newcomer's sake.

    Without that, a program that opens connections and says nothing would keep every client out.
    """

    _late: asyncio.TimerHandle | None = None
    waiting_since = 0.0  # of the event loop's clock

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the library itself narrows it
        """Make room, and begin to wait for a request."""
        super().connection_made(transport)
        self.waiting_since = self.loop.time()
        # One that was aborted stays in the set until the loop's next round.
        present = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(present) > connection_limit():
            silent = (one for one in present if one is not self and not one.busy)
            min(silent, key=lambda one: one.waiting_since, default=self).transport.abort()
        self._arm()

    def data_received(self, data: bytes) -> None:
        """The clock of a request runs from its first byte to its last."""
        self._arm()
        super().data_received(data)
        if self.conn.their_state not in ARRIVING:
            self._disarm()

    def connection_lost(self, exc: Exception | None) -> None:
        """No clock outlives its connection."""
        self._disarm()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """From now on it waits for the next request, as long as the library says."""
        self.waiting_since = self.loop.time()
        super().on_response_complete()

    @property
    def busy(self) -> bool:
        """Whether a request has arrived whole and is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request, whatever the library's annotation says
        return cycle is not None and not cycle.response_complete and self.conn.their_state not in ARRIVING

    def _arm(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _disarm(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self.busy:
            self.transport.abort()
