"""Jobs: progress, their ends, stopping, and how many are remembered."""

from __future__ import annotations

import threading

import pytest

from server.jobs.registry import KEPT, Job, JobError, Jobs, Progress

PATIENCE = 10.0


def ended(jobs: Jobs, job: Job) -> Job:
    found = jobs.wait(job.id, PATIENCE)
    assert found is not None
    assert found.state != "running"
    return found


def test_progress_and_end() -> None:
    told = threading.Semaphore(0)
    jobs = Jobs(told.release)
    entered, go_on = threading.Event(), threading.Event()

    def work(progress: Progress) -> str:
        progress.at(1, 4)
        entered.set()
        go_on.wait(PATIENCE)
        return "Ready."

    job = jobs.start("test", work)
    assert entered.wait(PATIENCE)
    now = jobs.running("test")
    assert now is not None
    assert (now.done, now.total, now.state) == (1, 4, "running")
    assert now.seconds_left is not None
    go_on.set()
    assert (ended(jobs, job).state, ended(jobs, job).message) == ("done", "Ready.")
    assert jobs.running("test") is None
    for _ in range(3):  # begin, progress, end
        assert told.acquire(timeout=PATIENCE)


def test_failures(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(_: Progress) -> None:
        raise JobError("The disk is full.")

    def crash(_: Progress) -> None:
        raise ValueError("a secret")

    jobs = Jobs()
    assert ended(jobs, jobs.start("test", refuse)).message == "The disk is full."
    crashed = ended(jobs, jobs.start("test", crash))
    assert (crashed.state, "secret" in (crashed.message or "")) == ("failed", False)
    assert "secret" not in caplog.text


def test_cancel() -> None:
    jobs = Jobs()

    def work(progress: Progress) -> None:
        progress.stop.wait(PATIENCE)
        progress.at(1)

    job = jobs.start("test", work)
    assert jobs.cancel(job.id)
    assert ended(jobs, job).state == "cancelled"
    assert not jobs.cancel(job.id)
    jobs.start("test", work)
    jobs.stop(PATIENCE)
    assert {one.state for one in jobs.listing()} == {"cancelled"}


def test_old_ones_are_forgotten() -> None:
    jobs = Jobs()
    for _ in range(KEPT + 5):
        ended(jobs, jobs.start("test", lambda _: None))
    assert len(jobs.listing()) <= KEPT + 1
    assert jobs.wait(1, 0) is None
    assert jobs.listing()[0].id == KEPT + 5
