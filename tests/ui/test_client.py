"""The client against the real server: kept connections, refusals, events, and servers that go away."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import pytest

from app.client import ApiError, Changes, Client, ConflictError, Event, EventReader, Home, NewMemory, NoServerError, Scope
from app.connection import Connection, Stream
from server.joining import find
from server.secrets_store import owner_token
from tests.ui.support import fill


def test_reads_and_writes(client: Client) -> None:
    """What is written is found, in typed answers."""
    ids = fill(client, "Ada drinks coffee.", "Ada has a cat.", tags=["ada"])
    assert set(client.search("tag:ada", "words", "created", "desc").ids) == set(ids)
    assert [row.text for row in client.rows(ids)] == ["Ada drinks coffee.", "Ada has a cat."]
    assert client.sidebar().tags[0].name == "ada"
    status = client.status()
    assert (status.active, status.status) == (2, "ready")
    done = client.act("trash", Scope(ids=tuple(ids)))
    assert done.count == 2
    assert done.journal_id is not None
    client.undo(done.journal_id)
    assert client.search("", "words", "created", "desc").count == 2
    assert client.history(ids[0])[0].undoes == done.journal_id


def test_refusals_are_sentences(client: Client) -> None:
    """With the server's code."""
    with pytest.raises(ApiError, match=r"\.$") as caught:
        client.undo(10**9)
    assert caught.value.code == "NOT_FOUND"


def test_a_conflict_carries_what_is_there_now(client: Client) -> None:
    """So that the person can choose."""
    (one,) = fill(client, "Ada lives in Lisbon.")
    version = client.rows([one])[0].version
    client.edit(Scope(ids=(one,)), Changes(text="Ada lives in Porto."), version)
    with pytest.raises(ConflictError) as caught:
        client.edit(Scope(ids=(one,)), Changes(text="Ada lives in Faro."), version)
    assert caught.value.found.current.text == "Ada lives in Porto."


def test_more_ids_than_one_page_holds(client: Client) -> None:
    """They are asked for in pages."""
    ids = fill(client, "One.")
    assert len(client.many_rows([*ids, *range(10**6, 10**6 + 2500)])) == 1


def test_each_thread_has_a_connection(client: Client) -> None:
    """And a closed one is opened again."""
    results: queue.Queue[int] = queue.Queue()
    threads = [threading.Thread(target=lambda: results.put(client.search("", "words", "created", "desc").count)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results.get_nowait() for _ in threads] == [0] * 4
    client.close()
    assert client.status().status == "ready"


def test_without_a_server(tmp_path: Path) -> None:
    """One sentence that says what happens next."""
    client = Client(Home.at(tmp_path))
    for call in (client.status, lambda: client.add(NewMemory(text="x"))):
        with pytest.raises(NoServerError, match="does not answer"):
            call()
    client.close()


def test_a_connection_that_the_server_has_closed_is_seen_before_a_write(server_home: Home) -> None:
    """A write is sent once or not at all."""
    running = find(server_home)
    assert running is not None
    connection = Connection(running.port, owner_token(server_home))
    assert connection.call("GET", "/healthz").status == 200
    first = connection._http.sock
    first.shutdown(2)
    assert connection.call("POST", "/api/v1/memories/rows", {"ids": [1]}).status == 200
    assert connection._http.sock is not first
    connection.close()


def test_events_arrive_and_go_on_after_a_break(client: Client, server_home: Home) -> None:
    """What happens between two streams is told by the second one."""
    events: queue.Queue[Event] = queue.Queue()
    broke = threading.Event()
    reader = EventReader(Client(server_home), events.put, broke.set)
    reader.start()
    try:
        (one,) = fill(client, "Ada drinks coffee.")
        event = next_about(events, one)
        assert "memories" in event.kinds
        assert event.actor
        assert reader._stream is not None
        reader._stream.close()
        (two,) = fill(client, "Ada has a cat.")
        assert broke.wait(20)
        assert next_about(events, two).ids == (two,)
    finally:
        reader.stop()


def next_about(events: queue.Queue[Event], memory_id: int) -> Event:
    """The next event that names a memory."""
    while True:
        event = events.get(timeout=20)
        if memory_id in event.ids:
            return event


def test_a_refused_stream_is_an_os_error(server_home: Home) -> None:
    """With a wrong token."""
    running = find(server_home)
    assert running is not None
    with pytest.raises(ConnectionError, match="401"):
        Stream(running.port, "wrong", "/api/v1/events", timeout=5)
