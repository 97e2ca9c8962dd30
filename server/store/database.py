"""The connection pool, and faults of the database as plain sentences."""

from __future__ import annotations

import selectors
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from pgvector.psycopg import register_vector
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from server.memory.ports import StoreError
from server.postgres.errors import explain

Connection: TypeAlias = psycopg.Connection[DictRow]

# Plans are made for the values at hand: a tag filter of 1 % needs another plan than one of 50 %.
# Nothing is prepared, so that the pool also works behind a transaction pooler.
# Starting a parallel worker takes longer than what it could save in a search of ten milliseconds.
# Filters are applied while the vector index is being read: it goes on until enough rows have passed them.
EF_SEARCH = 100
OPTIONS = (
    "-c plan_cache_mode=force_custom_plan -c random_page_cost=1.1 -c jit=off -c timezone=UTC"
    " -c max_parallel_workers_per_gather=0"
    f" -c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search={EF_SEARCH}"
)
OBTAIN_SECONDS = 25.0


class Database:
    """A pool of connections to one database. Safe to share between threads."""

    def __init__(self, conninfo: str = "", size: int = 10) -> None:
        self._size = size
        self._conninfo = conninfo
        self._pool = self._new_pool()

    def _new_pool(self) -> ConnectionPool[Connection]:
        return ConnectionPool(
            self._conninfo,
            connection_class=psycopg.Connection[DictRow],
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "options": OPTIONS,
                "prepare_threshold": None,
                "application_name": "ownsona",
            },
            min_size=1,
            max_size=self._size,
            timeout=OBTAIN_SECONDS,
            configure=register_vector,
            check=_check,
            open=False,
            name="ownsona",
        )

    def open(self) -> None:
        """Connect for the first time; the schema must be there. Raises StoreError."""
        with translated():
            self._pool.open(wait=True, timeout=OBTAIN_SECONDS)

    def move(self, conninfo: str) -> None:
        """Use another address from now on: the cluster's is known only once it runs. Raises StoreError."""
        self._pool.close(timeout=0.0)
        self._conninfo = conninfo
        self._pool = self._new_pool()
        self.open()

    def close(self) -> None:
        """Close every connection; those in use when they come back."""
        self._pool.close(timeout=5.0)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection in one transaction: committed on leaving, rolled back on an exception. Raises StoreError."""
        with translated(), self._pool.connection() as connection, connection.transaction():
            yield connection

    @contextmanager
    def statements(self) -> Iterator[Connection]:
        """A connection on which each statement is a transaction of its own: a read is one round trip. Raises StoreError."""
        with translated(), self._pool.connection() as connection:
            yield connection

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """A connection of its own outside any transaction, for VACUUM and CREATE INDEX CONCURRENTLY. Raises StoreError."""
        with (
            translated(),
            psycopg.connect(self._conninfo, autocommit=True, row_factory=dict_row, application_name="ownsona job") as connection,
        ):
            yield connection


def _check(connection: psycopg.Connection[Any]) -> None:
    """Ask the server whether a connection still lives only where something waits to be read: its end, or a notice.

    An idle connection has nothing to say, and its socket shows the end of the server process behind it without a question.
    """
    with selectors.DefaultSelector() as selector:  # select() itself fails for descriptors beyond 1023
        selector.register(connection, selectors.EVENT_READ)
        heard = selector.select(0)
    if heard:
        ConnectionPool.check_connection(connection)


@contextmanager
def translated() -> Iterator[None]:
    """Turn faults of the driver into StoreError. Their texts may hold values of rows, so only the kind is told."""
    try:
        yield
    except psycopg.Error as error:  # those of the pool among them
        raise StoreError(explain(error)) from None
