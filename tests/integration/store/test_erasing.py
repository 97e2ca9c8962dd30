"""What was deleted for good is in no file of the database any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.jobs.derived import DerivedJobs
from server.memory.memories import Memories
from server.memory.model import Actor
from server.memory.ports import StoreError
from server.store import maintenance
from server.store.database import Database
from server.store.store import PostgresStore
from tests.support import WordEmbedder

MARK = "xylophonequartz"


def files_with(database: Database, mark: str) -> set[str]:
    """Tables and indexes whose files hold a text. The write-ahead log is left out: it keeps texts until it is used again."""
    with database.autocommit() as connection:
        connection.execute("CHECKPOINT")
        folder = connection.execute("SELECT current_setting('data_directory') AS path").fetchone()
        named = connection.execute(
            "SELECT oid::regclass::text AS name, pg_relation_filepath(oid) AS path FROM pg_class WHERE relkind IN ('r', 'i', 't')"
        ).fetchall()
    assert folder is not None
    found = set()
    for row in named:
        try:
            content = Path(folder["path"], row["path"]).read_bytes() if row["path"] else b""
        except PermissionError:
            pytest.skip("the database's files cannot be read from here")
        except FileNotFoundError:  # a database elsewhere, or a table of another test that is gone
            continue
        if mark.encode() in content.lower():
            found.add(str(row["name"]))
    return found


def test_nothing_is_left_in_the_files(database: Database, memories: Memories, person: Actor) -> None:
    """Neither in the free space of a page, nor as a word in an index, nor in the journal; and its neighbours stay."""
    for number in range(20):
        memories.remember(person, memories.draft(f"An ordinary fact, number {number}"), "insert")
    gone = memories.remember(person, memories.draft(f"The {MARK} lives here", tags=[MARK]), "insert").memory_id
    long = " ".join(f"{MARK}{number}" for number in range(800))  # out of line
    memories.update(person, gone, {"text": long})
    memories.forget(person, gone, reason=f"Because of the {MARK}")
    if not files_with(database, MARK):
        pytest.skip("the database's files are not on this computer")
    memories.forget(person, gone, hard=True)
    maintenance.vacuum(database)
    assert files_with(database, MARK) == set()
    assert len(memories.tags(person.owner_id, 10, include_deleted=True)) == 0
    assert len(memories.text_search(person.owner_id, "ordinary fact", 50)) == 20


def file_of_memories(database: Database) -> str:
    """The name of the table's file; a new one after each rewriting."""
    with database.statements() as connection:
        row = connection.execute("SELECT pg_relation_filepath('memories') AS path").fetchone()
    assert row is not None
    return str(row["path"])


def test_a_table_in_use_is_left_for_later(
    database: Database, store: PostgresStore, embedder: WordEmbedder, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for long behind the rewriting, and what could not be done is not forgotten."""
    monkeypatch.setattr(maintenance, "REWRITE_WAIT_MS", 50)
    jobs = DerivedJobs(database, owner, store.model, embedder)
    jobs.changed(erased=True)
    before = file_of_memories(database)
    with database.transaction() as connection:
        connection.execute("LOCK TABLE memories IN ACCESS SHARE MODE")
        with pytest.raises(StoreError):
            jobs.once()
    assert file_of_memories(database) == before
    jobs.once()
    after = file_of_memories(database)
    assert after != before
    jobs.once()
    assert file_of_memories(database) == after
