"""`ownsona doctor`: is everything there that the server needs? Reads only: makes no file, starts nothing, changes nothing."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from server.embedding.service import open_embedder
from server.joining import HOST, LocalApiError, ask, find
from server.listening import busy_advice
from server.memory.ports import EmbeddingError
from server.paths import Home
from server.postgres.doctor import checks
from server.postgres.errors import PostgresError
from server.postgres.external import check_external
from server.settings import Settings, SettingsError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at and, where it is bad, what to do."""

    good: bool
    text: str


def examine(home: Home, port: int) -> list[Finding]:
    """All findings, the basic ones first. Never raises for a broken installation or home."""
    folders = [_folder(folder) for folder in (home.data, home.config, home.state, home.logs)]
    try:
        settings = Settings.read()
    except SettingsError as error:
        return [*folders, Finding(False, f"settings: {error}")]
    return [*folders, *_database(home, settings), _model(settings), *_server(home, port)]


def _database(home: Home, settings: Settings) -> list[Finding]:
    if settings.database_url is None:
        return [
            Finding(check.ok, f"{check.name}: {check.detail}" + (f". {check.remedy}" if check.remedy else "")) for check in checks(home)
        ]
    try:
        check_external(settings.database_url)
    except PostgresError as error:
        return [Finding(False, f"database: {error}")]
    return [Finding(True, "database: the server that OWNSONA_DATABASE_URL names")]


def _model(settings: Settings) -> Finding:
    try:
        return Finding(True, f"model: {open_embedder(settings).model.name}")
    except EmbeddingError as error:
        return Finding(False, f"model: {error}")


def _folder(folder: Path) -> Finding:
    # os.path.exists, unlike Path's, is silent about what lies below a folder that must not be entered.
    if not os.path.exists(folder):  # noqa: PTH110
        parent = next(above for above in folder.parents if os.path.exists(above))  # noqa: PTH110
        if os.access(parent, os.W_OK | os.X_OK):
            return Finding(True, f"folder {folder}: will be made at the first start")
        return Finding(
            False, f"folder {folder}: {parent} cannot be written to. Give this user the right to write there, or set OWNSONA_HOME."
        )
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Finding(False, f"folder {folder}: cannot be read and written. Give this user the right to do so, or set OWNSONA_HOME.")
    return Finding(True, f"folder {folder}")


def _server(home: Home, port: int) -> list[Finding]:
    running = find(home)
    if running is None:
        return [_free(port)]
    findings = [Finding(True, f"server: runs at {running.url} (process {running.pid})")]
    try:
        stages = ask(home, running, "GET", "/status")["stages"]
    except LocalApiError as error:
        return [*findings, Finding(False, f"server: {error}")]
    return findings + [
        Finding(False, f"server: its {stage['name']} has failed. {stage['advice'] or ''}".rstrip())
        for stage in stages
        if stage["state"] == "failed"
    ]


def _free(port: int) -> Finding:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        if port and probe.connect_ex((HOST, port)) == 0:
            return Finding(False, f"server: not running. {busy_advice(HOST, port)}")
    return Finding(True, "server: not running; its port is free")
