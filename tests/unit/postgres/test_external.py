"""Judging a server of the person's own."""

from __future__ import annotations

import re

import pytest

from server.postgres.external import judge


@pytest.mark.parametrize(
    ("version", "vector", "installed", "encoding", "words"),
    [
        (150000, "0.8.0", True, "UTF8", None),
        (180006, "0.10.1", False, "UTF8", None),
        (180006, "1.0", False, "UTF8", None),
        (140012, "0.8.0", True, "UTF8", "PostgreSQL 14; OwnSona needs 15 or later"),
        (160000, None, False, "UTF8", "no pgvector. Install"),
        (160000, "0.7.4", True, "UTF8", "ALTER EXTENSION vector UPDATE"),
        (160000, "0.5", False, "UTF8", "has pgvector 0.5.*install a newer one there\\."),
        (160000, "0.8.0", True, "LATIN1", "encoding LATIN1"),
    ],
)
def test_judgement(version: int, vector: str | None, installed: bool, encoding: str, words: str | None) -> None:
    problem = judge(version, vector, installed, encoding)
    if words is None:
        assert problem is None
    else:
        assert problem is not None
        assert re.search(words, problem)
