"""In pytest-qt's place where Qt's system libraries are not there: the tests of the app are left out, and the others still run."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOMS = ("ui", "desktop")


def reason() -> str:
    """Why Qt cannot be loaded; empty where it can."""
    try:
        import PySide6.QtWidgets  # noqa: F401 - only whether it can be
    except ImportError as error:
        return str(error)
    return ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of pytest-qt must be known where it is not loaded."""
    for name in ("qt_api", "qt_log_level_fail"):
        parser.addini(name, "of pytest-qt", type="string")
    parser.addini("qt_log_ignore", "of pytest-qt", type="linelist")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what imports Qt."""
    return True if collection_path.parent.name == "tests" and collection_path.name in ROOMS else None


def pytest_report_header() -> str:
    """Say so."""
    return f"tests/ui and tests/desktop are left out: Qt cannot be loaded ({reason()})"
