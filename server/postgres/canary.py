"""A first flight of the vector module: every kind of its code that OwnSona uses, on a temporary table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psycopg

from server.postgres.binaries import fingerprint
from server.postgres.errors import PROCESSOR, PostgresError

STATEMENTS = (
    "SET enable_seqscan = off",
    "CREATE TEMPORARY TABLE canary (id int, v vector(8))",
    "INSERT INTO canary SELECT i, ARRAY[i, i % 3, i % 5, i % 7, i % 11, i % 13, i % 17, 1]::vector FROM generate_series(1, 200) i",
    "CREATE INDEX canary_cosine ON canary USING hnsw (v vector_cosine_ops)",
    "SELECT id FROM canary ORDER BY v <=> '[5,2,0,5,5,5,5,1]' LIMIT 5",
    "CREATE INDEX ON canary USING hnsw (v vector_l2_ops)",
    "SELECT id FROM canary ORDER BY v <-> '[5,2,0,5,5,5,5,1]' LIMIT 5",
    "CREATE INDEX ON canary USING hnsw ((v::halfvec(8)) halfvec_cosine_ops)",
    "SELECT id FROM canary ORDER BY v::halfvec(8) <=> '[5,2,0,5,5,5,5,1]' LIMIT 5",
    "CREATE INDEX ON canary USING hnsw ((binary_quantize(v)::bit(8)) bit_hamming_ops)",
    "SELECT id FROM canary ORDER BY binary_quantize(v)::bit(8) <~> binary_quantize('[5,2,0,5,5,5,5,1]'::vector) LIMIT 5",
    "SELECT sum(v <=> '[1,1,1,1,1,1,1,1]'), sum(v <-> '[1,1,1,1,1,1,1,1]'), sum(v <#> '[1,1,1,1,1,1,1,1]') FROM canary",
    "SELECT '{1:1,3:2}/5'::sparsevec <#> '{3:4}/5'::sparsevec",
    "DROP TABLE canary",
)


def fly(connection: psycopg.Connection, statements: Sequence[str] = STATEMENTS) -> None:
    """Run the statements. Raises PostgresError that names the remedy when the backend dies of them; any other error passes through."""
    try:
        for statement in statements:
            connection.execute(statement.encode())
    except psycopg.OperationalError:
        if connection.broken:
            raise PostgresError(PROCESSOR) from None
        raise


def has_flown(marker: Path, bin_dir: Path) -> bool:
    """Whether it flew on this cluster with these very programs."""
    try:
        return marker.read_text("ascii") == fingerprint(bin_dir)
    except (OSError, UnicodeDecodeError):
        return False


def record_flight(marker: Path, bin_dir: Path) -> None:
    """Remember it. Raises OSError."""
    marker.write_text(fingerprint(bin_dir), "ascii")
