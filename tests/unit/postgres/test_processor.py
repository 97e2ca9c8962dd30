"""The check of the processor."""

from __future__ import annotations

import pytest

from server.postgres.processor import missing_instructions

HASWELL = "flags\t\t: fpu sse4_2 avx avx2 bmi1 bmi2 f16c fma abm movbe\n"
OLD = "flags\t\t: fpu sse4_2 avx\n"


def test_this_processor_is_readable() -> None:
    assert isinstance(missing_instructions(), frozenset)


@pytest.mark.parametrize(
    ("system", "machine", "cpuinfo", "missing"),
    [
        ("linux", "x86_64", HASWELL * 2, set()),
        ("linux", "AMD64", OLD, {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}),
        ("linux", "x86_64", HASWELL + HASWELL.replace(" avx2", ""), {"avx2"}),
        ("linux", "x86_64", "", set()),
        ("linux", "aarch64", "Features\t: fp asimd sve\n", set()),
        ("linux", "aarch64", "Features\t: fp asimd\n", {"sve"}),
        ("linux", "armv7l", "Features\t: neon\n", set()),
        ("darwin", "arm64", "", set()),
    ],
)
def test_what_is_missing(system: str, machine: str, cpuinfo: str, missing: set[str]) -> None:
    assert missing_instructions(system, machine, cpuinfo) == missing


@pytest.mark.parametrize(("features", "missing"), [({"AVX2": False, "SSE": True}, True), ({}, False)])
def test_numpy_is_asked_elsewhere(monkeypatch: pytest.MonkeyPatch, features: dict[str, bool], missing: bool) -> None:
    monkeypatch.setattr("numpy._core._multiarray_umath.__cpu_features__", features)
    assert ("AVX2" in missing_instructions("win32", "AMD64")) is missing
