"""The words of the local API: light to import, frozen, strict with requests and patient with answers."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from server import api


def test_imports_nothing_heavy() -> None:
    heavy = ("psycopg", "starlette", "mcp", "numpy", "llama_cpp", "server.store")
    code = f"import sys, server.api; print([module for module in {heavy} if module in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"ids": [1], "query": "x"},
        {"ids": [0]},
        {"ids": [2**63]},
        {"query": "a\0b"},
        {"ids": [1], "extra": 1},
        {"ids": [1], "mode": "guess"},
    ],
)
def test_bad_scopes(body: object) -> None:
    with pytest.raises(ValidationError):
        api.Scope.model_validate(body)


def test_text_needs_one_id_and_a_version() -> None:
    one = api.Scope(ids=(1,))
    changes = api.Changes(text="x")
    assert api.Edit(scope=one, changes=changes, version=3).version == 3
    for scope, version in ((one, None), (api.Scope(ids=(1, 2)), 3), (api.Scope(query="x"), 3)):
        with pytest.raises(ValidationError, match="one id"):
            api.Edit(scope=scope, changes=changes, version=version)


def test_answers_of_a_newer_server() -> None:
    assert api.Done.model_validate({"ok": True, "count": 2, "later": 1}).count == 2
    with pytest.raises(ValidationError):
        api.Done(count=1).count = 2


def test_a_moment_has_an_offset() -> None:
    with pytest.raises(ValidationError):
        api.NewMemory.model_validate({"text": "x", "expires_at": "2030-01-01T00:00:00"})
