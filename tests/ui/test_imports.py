"""What the rooms of the app import."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODELS = "memory_table overview query search sidebar undo".split()


@pytest.mark.parametrize("name", MODELS)
def test_models_import_no_widgets(name: str) -> None:
    """`app.models` needs QtCore alone."""
    code = f"import sys, app.models.{name}; sys.exit('PySide6.QtWidgets' in sys.modules or 'PySide6.QtGui' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_server_imports_no_qt() -> None:
    """The server runs where there is no PySide6."""
    code = "import sys, server.cli, server.desktop, server.local_parts, server.runtime; sys.exit('PySide6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
