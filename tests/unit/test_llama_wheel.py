"""Keeping the llama.cpp wheel: what stops a build before it begins."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the folders and programs named here are those of Unix")


@pytest.fixture(scope="module")
def llama_wheel() -> ModuleType:
    path = Path(__file__).parents[2] / "installer" / "llama_wheel.py"
    spec = importlib.util.spec_from_file_location("llama_wheel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kept_wheel(llama_wheel: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its path is all that is printed, so that `make` and the shell can use it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    wheel = llama_wheel.cache_folder() / "some.whl"
    wheel.parent.mkdir(parents=True)
    wheel.touch()
    assert llama_wheel.main() == 0
    assert capsys.readouterr() == (f"{wheel}\n", "")


def test_no_place_to_keep_it(
    llama_wheel: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said at once, not after minutes of building."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert llama_wheel.main() == 2
    assert "Set XDG_CACHE_HOME" in capsys.readouterr().err


def test_no_compiler(llama_wheel: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that brings one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert llama_wheel.main() == 2
    assert "needs a C++ compiler" in capsys.readouterr().err
