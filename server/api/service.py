"""The server itself: its state, events, settings, work in the background, backups."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from server.api.base import Answer, Moment, Request, Text
from server.api.memories import Scope


class Stage(Answer):
    """A stage of start-up: "starting", "ready" or "failed"; the advice says why it failed and what to do."""

    name: str
    state: str
    seconds: float
    advice: str | None = None


class Status(Answer):
    """The server at a glance. Counts are None while the database does not answer, duplicates also before they were looked for."""

    version: str
    status: str
    address: str
    pid: int
    started: float
    leases: int
    stages: tuple[Stage, ...]
    paused: bool = False
    active: int | None = None
    deleted: int | None = None
    expired: int | None = None
    clients: int | None = None
    duplicates: int | None = None
    approvals: int | None = None
    disk_free: int | None = None  # bytes
    problems: tuple[str, ...] = ()


class Event(Answer):
    """What has changed. `id` is the journal's, None where the journal does not hold it."""

    id: int | None
    kinds: tuple[str, ...]  # "memories", "searches", "decisions", "settings", "clients", "duplicates", "jobs", "status"
    tool: str
    actor: str
    ids: tuple[int, ...] = ()  # of memories; at most 100


class SettingsView(Answer):
    """What the person can set in the window."""

    paused: bool = False
    backup_hours: int = 24  # 0: no backups by themselves
    backups_kept: int = 7


class SettingsChange(Request):
    """Settings to change; what is not given stays."""

    backup_hours: Annotated[int, Field(ge=0, le=24 * 365)] | None = None
    backups_kept: Annotated[int, Field(ge=1, le=1000)] | None = None


class Job(Answer):
    """Work in the background."""

    id: int
    kind: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int | None
    seconds_left: float | None
    message: str | None


class Jobs(Answer):
    """Running ones and those that ended lately, newest first."""

    jobs: tuple[Job, ...]


class Backup(Answer):
    """A backup file. `verified` is when it was last restored for a trial, with equal counts."""

    path: str
    size: int
    created_at: Moment
    encrypted: bool
    verified: bool


class Backups(Answer):
    """Backups in the folder of the home, newest first."""

    backups: tuple[Backup, ...]


class BackupWanted(Request):
    """A backup to be made; without a path in the folder of the home."""

    path: Text | None = None
    passphrase: Text | None = Field(None, min_length=1, max_length=1024, repr=False)


class RestoreWanted(Request):
    """A backup whose contents replace what is there."""

    path: Text
    passphrase: Text | None = Field(None, min_length=1, max_length=1024, repr=False)


class ExportWanted(Request):
    """Memories to be written to a new file; without a scope all live ones."""

    scope: Scope | None = None
    format: Literal["json", "csv", "markdown"]
    path: Text


class Started(Answer):
    """A job that was started."""

    job: Job
