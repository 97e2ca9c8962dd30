"""The window's routes over HTTP: the real web side over the real database."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server import api
from server.jobs.backups import Backups, Source
from server.memory.memories import Memories
from server.memory.model import Actor, Limits
from server.memory.ports import EmbeddingError
from server.oauth.owner import OAuthParts
from server.owner_side import OwnerSide
from server.paths import Home
from server.secrets_store import owner_token
from server.settings import Settings
from server.store.database import Database
from server.store.events import JournalEvents
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from server.store.owner import PostgresOwnerStore
from server.toolsets.base import Caller
from server.toolsets.memories.toolset import MemoriesToolset
from server.toolsets.pausing import PAUSED, Pausable
from tests.oauth.support import Browser, new_client
from tests.probe_server import ProbeParts
from tests.support import WordEmbedder, draft
from tests.web_support import PATIENCE, Probe, fetch, serving


class Window:
    """A running server as a window sees it, and what assistants use beside it."""

    def __init__(self, probe: Probe, memories: Memories, side: OwnerSide, owner: int) -> None:
        self.probe = probe
        self.memories = memories
        self.side = side
        self.owner = owner
        self.client = Actor(owner, "client", "test client")

    def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """One call; its answer must have this status."""
        headers = {"Authorization": f"Bearer {owner_token(self.probe.home)}"}
        content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = fetch(self.probe.port, method, f"/api/v1{path}", headers, content)
        assert answer.status == status, answer.body
        assert answer.json["ok"] is (status < 400)
        return answer.json

    def refused(self, method: str, path: str, body: Any = None, status: int = 400) -> str:
        """The sentence of a refusal."""
        message = self.ask(method, path, body, status)["error"]["message"]
        assert isinstance(message, str)
        assert message.endswith(".")
        return message

    @contextmanager
    def events(self, last: str | None = None) -> Iterator[http.client.HTTPResponse]:
        """The event stream, after its first line."""
        connection = http.client.HTTPConnection("127.0.0.1", self.probe.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {owner_token(self.probe.home)}", **({"Last-Event-ID": last} if last else {})}
        try:
            connection.request("GET", "/api/v1/events", headers=headers)
            response = connection.getresponse()
            assert response.status == 200
            assert response.readline() == b":\n"
            assert response.readline() == b"\n"
            yield response
        finally:
            connection.close()


def next_event(response: http.client.HTTPResponse) -> tuple[str | None, api.Event]:
    """The next event that carries data, and its id."""
    event_id = None
    while True:
        line = response.readline().decode().rstrip("\n")
        if line.startswith("id: "):
            event_id = line[4:]
        elif line.startswith("data: "):
            event = api.Event.model_validate_json(line[6:])
            assert response.readline() == b"\n"
            return event_id, event


@pytest.fixture
def window(tmp_path: Path, database: Database, owner: int, embedder: WordEmbedder, source: Source) -> Iterator[Window]:
    """A server whose window shows an empty store."""
    home = Home.at(tmp_path / "home")
    parts = ProbeParts(home, Settings.read({}))
    store = PostgresOwnerStore(database, lambda _: parts.signals.tell("journal"))
    store.use_model(owner, embedder.model)
    backups = Backups(home, lambda: source, lambda: None, lambda: None)
    access = OAuthOwner(database.transaction, owner)
    side = OwnerSide(backups, home, store, embedder, Limits(), access, owner, parts.signals)
    parts.oauth = OAuthParts(OAuthFlow(database.transaction, owner), access)
    parts.owner_routes = list(side.routes)
    parts.events = JournalEvents(database.transaction, owner)
    parts.glance = side.glance  # type: ignore[method-assign]  # the probe has no memories of its own
    with serving(tmp_path / "home", parts=parts) as probe:
        assert probe.ready.wait(PATIENCE)
        yield Window(probe, Memories(store, embedder, Limits()), side, owner)
        side.stop()


def test_the_life_of_a_memory(window: Window) -> None:
    added = window.ask("POST", "/memories", {"text": "Anna drinks tea", "tags": ["Food"]})
    (memory_id,) = added["ids"]
    assert window.ask("GET", "/memories?q=anna%20tag:food") == {"ok": True, "ids": [memory_id], "count": 1, "problem": None}
    (row,) = api.Rows.model_validate(window.ask("POST", "/memories/rows", {"ids": [memory_id, 10**9]})).rows
    assert (row.text, row.tags, row.capture_mode) == ("Anna drinks tea", ("food",), "explicit")

    edit = {"scope": {"ids": [memory_id]}, "changes": {"text": "Anna drinks milk", "expires_at": None}, "version": row.version}
    done = window.ask("PATCH", "/memories", edit)
    assert (done["count"], done["skipped"]) == (1, 0)
    stale = window.ask("PATCH", "/memories", edit, status=409)
    conflicting = api.Conflicting.model_validate(stale)
    assert stale["error"]["code"] == "CONFLICT"
    assert (conflicting.current.text, conflicting.base_version, conflicting.sent["text"]) == (
        "Anna drinks milk",
        row.version,
        "Anna drinks milk",
    )

    assert window.ask("POST", f"/journal/{done['journal_id']}/undo")["ids"] == [memory_id]
    history = api.Entries.model_validate(window.ask("GET", f"/memories/{memory_id}/history")).entries
    assert [entry.tool for entry in history] == ["undo", "edit", "add"]
    assert history[1].undone_by == history[0].id
    assert history[1].changes[0].before is not None
    assert history[1].changes[0].before["text"] == "Anna drinks tea"

    for action, query, state in (
        ("trash", "anna", "is:trash"),
        ("restore", "is:trash", ""),
        ("confirm", "anna", ""),
        ("erase", "anna", ""),
    ):
        assert window.ask("POST", f"/memories/{action}", {"scope": {"query": query}})["count"] == 1
        assert window.ask("GET", f"/memories?q={state}")["count"] == (action != "erase")
    window.refused("GET", f"/memories/{memory_id}/history", status=404)


def test_replace(window: Window) -> None:
    for text in ("Anna drinks tea", "Bert drinks tea"):
        window.ask("POST", "/memories", {"text": text})
    body = {"scope": {"query": "tea"}, "find": "TEA", "replace": "milk", "dry_run": True}
    rehearsal = window.ask("POST", "/memories/replace", body)
    assert (rehearsal["count"], rehearsal["done"], len(rehearsal["samples"])) == (2, None, 2)
    done = window.ask("POST", "/memories/replace", {**body, "dry_run": False})
    assert done["done"]["count"] == 2
    assert "regular expression" in window.refused("POST", "/memories/replace", {**body, "find": "(", "regex": True})


def test_sidebar_and_searches(window: Window) -> None:
    window.ask("POST", "/memories", {"text": "Anna drinks tea", "tags": ["Food"]})
    (search_id,) = window.ask("POST", "/searches", {"name": "Food", "query": "tag:food"})["ids"]
    sidebar = api.Sidebar.model_validate(window.ask("GET", "/sidebar"))
    assert (sidebar.tags[0].name, sidebar.saved[0].id) == ("food", search_id)
    window.ask("DELETE", f"/searches/{search_id}")
    window.refused("DELETE", f"/searches/{search_id}", status=404)


def test_duplicates_and_merge(window: Window, embedder: WordEmbedder) -> None:
    embedder.place("she likes green tea", "she drinks green tea", 0.96)
    ids = [
        window.memories.remember(window.client, draft(text), "insert").memory_id for text in ("she drinks green tea", "she likes green tea")
    ]
    assert api.Status.model_validate(window.ask("GET", "/status")).duplicates is None
    (group,) = api.Groups.model_validate(window.ask("GET", "/duplicates?threshold=0.9")).groups
    assert (group.keeper, len(group.members)) == (ids[1], 2)
    assert api.Status.model_validate(window.ask("GET", "/status")).duplicates == 1
    similar = api.Similars.model_validate(window.ask("GET", f"/memories/{ids[0]}/similar")).similar
    assert [one.row.id for one in similar] == [ids[1]]
    pair = {"pairs": [{"left": ids[0], "right": ids[1]}]}
    distinct = window.ask("POST", "/duplicates/distinct", pair)
    assert window.ask("GET", "/duplicates?conflicts=true")["groups"] == []
    assert window.ask("GET", "/duplicates")["groups"] == []
    window.ask("POST", f"/journal/{distinct['journal_id']}/undo")
    window.ask("POST", "/duplicates/related", pair)
    merged = window.ask("POST", "/merge", {"keeper": ids[1], "others": ids[:1], "fields": {"importance": 0.9}})
    assert merged["count"] == 2
    assert api.Status.model_validate(window.ask("GET", "/status")).duplicates == 0


def test_looking_through(window: Window) -> None:
    (memory_id,) = window.ask("POST", "/memories", {"text": "Anna drinks tea"})["ids"]
    explained = api.Explanation.model_validate(window.ask("POST", "/explain", {"query": "tea"}))
    assert (explained.shown, explained.matches[0].row.id, explained.matches[0].rank) == (1, memory_id, 1)
    assert window.ask("POST", "/feedback", {"ids": [memory_id], "delta": 1, "query": "what does Anna drink"})["count"] == 1
    assert api.Statistics.model_validate(window.ask("GET", "/statistics")).totals.active == 1
    assert window.ask("GET", "/review")["rows"] == []
    assert window.ask("GET", "/graph?entity=anna")["relations"] == []
    assert window.ask("GET", "/entities?q=an")["names"] == []
    rollback = {"actor": "owner", "since": "2020-01-01T00:00:00Z", "dry_run": True}
    assert api.Rollback.model_validate(window.ask("POST", "/journal/rollback", rollback)).count == 2
    assert window.ask("POST", "/journal/rollback", {**rollback, "dry_run": False})["done"]["count"] == 1
    assert window.ask("GET", "/journal?limit=1&tool=rollback&actor=owner")["entries"][0]["tool"] == "rollback"


def test_settings_and_pause(window: Window) -> None:
    toolset = Pausable(MemoriesToolset(window.memories), window.side.paused)
    assert window.ask("PATCH", "/settings", {"backups_kept": 3})["journal_id"] is not None
    assert api.SettingsView.model_validate(window.ask("GET", "/settings")).backups_kept == 3
    window.refused("PATCH", "/settings", {"backups_kept": 0})
    caller = Caller(window.owner, "test client")
    window.ask("POST", "/pause")
    paused = toolset.call("memory_stats", {}, caller)
    assert paused.is_error
    assert paused.payload["error"]["message"] == PAUSED
    assert api.Status.model_validate(window.ask("GET", "/status")).paused
    window.ask("POST", "/resume")
    assert not toolset.call("memory_stats", {}, caller).is_error
    assert toolset.scopes("memory_stats", {}) == MemoriesToolset(window.memories).scopes("memory_stats", {})


def test_status(window: Window) -> None:
    window.ask("POST", "/memories", {"text": "Anna drinks tea"})
    status = api.Status.model_validate(window.ask("GET", "/status"))
    assert (status.active, status.deleted, status.expired, status.paused) == (1, 0, 0, False)
    assert {stage.name: stage.state for stage in status.stages} == {"server": "ready", "database": "ready", "model": "ready"}
    assert status.disk_free


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/memories", b"{"),
        ("POST", "/memories", b"[]"),
        ("POST", "/memories", {"text": ""}),
        ("POST", "/memories", {"text": "a\0b"}),
        ("POST", "/memories", b'{"text": "\\ud800"}'),
        ("POST", "/memories", {"text": "x", "importance": 2}),
        ("POST", "/memories", {"text": "x", "expires_at": "2030-01-01T00:00:00"}),
        ("POST", "/memories/rows", {"ids": [0]}),
        ("POST", "/memories/rows", {"ids": list(range(1, 1002))}),
        ("POST", "/memories/trash", {"scope": {}}),
        ("POST", "/memories/trash", {"scope": {"query": "OR"}}),
        ("PATCH", "/memories", {"scope": {"ids": [1]}, "changes": {"text": "x"}}),
        ("GET", "/memories?sort=colour", None),
        ("GET", "/memories?colour=red", None),
        ("GET", "/journal?limit=0", None),
        ("GET", "/journal?before=x", None),
        ("GET", "/duplicates?threshold=nan", None),
        ("GET", "/graph", None),
        ("POST", "/explain", {"query": "  "}),
        ("POST", "/feedback", {"ids": [1], "delta": 3}),
        ("POST", "/merge", {"keeper": 1, "others": []}),
        ("POST", "/journal/rollback", {"actor": "x", "since": "yesterday"}),
    ],
)
def test_bad_requests(window: Window, method: str, path: str, body: Any) -> None:
    window.refused(method, path, body)


@pytest.mark.parametrize("number", ["9", "9" * 30, "9" * 5000])
def test_unknown_numbers(window: Window, number: str) -> None:
    for method, path in (
        ("POST", f"/journal/{number}999999999/undo"),
        ("GET", f"/memories/{number}999999999/similar"),
        ("POST", f"/jobs/{number}/cancel"),
    ):
        window.refused(method, path, status=404)


def test_the_model_is_away(window: Window, embedder: WordEmbedder) -> None:
    embedder.fails = EmbeddingError("The model does not run.")
    assert window.ask("POST", "/explain", {"query": "tea"}, status=503)["error"]["code"] == "EMBEDDING_ERROR"


def test_events(window: Window) -> None:
    """Each change is told once, to each listener, with what it was; a listener that comes back gets what it has missed."""
    with window.events() as stream:
        memory_id = window.memories.remember(window.client, draft("Anna drinks tea"), "insert").memory_id
        first, event = next_event(stream)
        assert (event.kinds, event.tool, event.actor, event.ids) == (("memories",), "remember", "test client", (memory_id,))
        window.ask("POST", "/searches", {"name": "Food", "query": "tag:food"})
        window.ask("POST", "/pause")
        assert next_event(stream)[1].kinds == ("searches",)
        assert next_event(stream)[1].kinds == ("settings",)
    with window.events(last=first) as stream:
        assert [next_event(stream)[1].kinds for _ in range(2)] == [("searches",), ("settings",)]


def test_access(window: Window, database: Database) -> None:
    """A request for access is told at once and counted until the person answers; a client counts once it was let in."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM oauth_rates")

    def seen() -> tuple[int | None, int | None]:
        status = api.Status.model_validate(window.ask("GET", "/status"))
        return status.approvals, status.clients

    client = new_client(window.probe)
    assert seen() == (0, 0)
    with window.events() as stream:
        assert Browser(window.probe).get(client.authorize_path()).status == 302
        assert next_event(stream)[1].kinds == ("clients",)
        assert seen() == (1, 0)
        (pending,) = window.ask("GET", "/oauth/pending")["pending"]
        window.ask("POST", f"/oauth/pending/{pending['id']}/deny")
        assert next_event(stream)[1].kinds == ("clients",)
        assert seen() == (0, 0)
    window.ask("POST", "/oauth/tokens", {"name": "script"}, status=201)
    assert seen() == (0, 1)


def test_hints_have_no_id(window: Window) -> None:
    with window.events("nonsense") as stream:
        window.probe.parts.signals.tell("clients")
        event_id, event = next_event(stream)
        assert (event_id, event.id, event.kinds) == (None, None, ("clients",))


def test_an_event_waits_for_those_before_it(window: Window, database: Database) -> None:
    """An entry that commits while an older transaction still runs is told after it, so that resuming never misses one."""
    with window.events() as stream:
        with database.transaction() as slow:
            slow.execute(
                "INSERT INTO journal (owner_id, actor_kind, actor, tool) VALUES (%s, 'client', 'slow', 'remember')", [window.owner]
            )
            window.ask("POST", "/searches", {"name": "Food", "query": "tag:food"})
        assert next_event(stream)[1].actor == "slow"
        assert next_event(stream)[1].actor == "owner"


def test_events_end_with_the_server(window: Window) -> None:
    with window.events() as stream:
        window.ask("POST", "/stop", status=202)
        assert stream.read() == b""


def test_files(window: Window, tmp_path: Path) -> None:
    """Exports and backups are jobs, whose end can be waited for."""
    window.ask("POST", "/memories", {"text": "Anna drinks tea"})
    target = tmp_path / "out.csv"
    job = window.ask("POST", "/export", {"scope": {"query": "tea"}, "format": "csv", "path": str(target)})["job"]
    assert api.Started.model_validate(window.ask("GET", f"/jobs/{job['id']}/end")).job.message == "Exported to out.csv."
    assert "Anna drinks tea" in target.read_text()
    assert "absolute" in window.refused("POST", "/export", {"format": "json", "path": "out.json"})
    job = window.ask("POST", "/backups", {"passphrase": "open sesame"})["job"]
    while (job := window.ask("GET", f"/jobs/{job['id']}/end")["job"])["state"] == "running":
        pass
    (backup,) = api.Backups.model_validate(window.ask("GET", "/backups")).backups
    assert (backup.path, backup.verified, backup.encrypted) == (job["message"], True, True)
    assert [one.kind for one in api.Jobs.model_validate(window.ask("GET", "/jobs")).jobs] == ["backup", "export"]
    job = window.ask("POST", "/backups/restore", {"path": str(target)})["job"]
    assert window.ask("GET", f"/jobs/{job['id']}/end")["job"]["state"] == "failed"
    window.refused("GET", "/jobs/99/end", status=404)
