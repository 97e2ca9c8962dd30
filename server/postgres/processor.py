"""Whether this processor can run the vector module, which is compiled for newer ones than the rest of Postgres.

pgvector is built for a processor level: measured in version 18.6.3 of the binaries, x86-64-v3 on Intel and AMD, SVE on ARM Linux,
and nothing special on Apple silicon. An older processor would kill the database at the first vector.
"""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

# The names that /proc/cpuinfo uses, then those of numpy; the kernel's list already leaves out what the system does not support.
_X86_LINUX = frozenset({"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})
_X86_NUMPY = frozenset({"AVX2", "BMI", "BMI2", "F16C", "FMA3", "LZCNT", "MOVBE"})


def missing_instructions(system: str = sys.platform, machine: str | None = None, cpuinfo: str | None = None) -> frozenset[str]:
    """Names of needed instruction sets that this processor lacks; empty when it is fine or when nothing can be found out.

    In the second case the canary of the first start decides. `cpuinfo` is the text of /proc/cpuinfo.
    """
    machine = (machine or platform.machine()).lower()
    x86 = machine in ("x86_64", "amd64")
    if system == "linux":
        needed = _X86_LINUX if x86 else frozenset({"sve"}) if machine in ("aarch64", "arm64") else frozenset[str]()
        present = _cpuinfo_flags(_read_cpuinfo() if cpuinfo is None else cpuinfo)
    else:
        needed = _X86_NUMPY if x86 else frozenset[str]()
        present = _numpy_features() if needed else frozenset[str]()
    return needed - present if present else frozenset()


def _read_cpuinfo() -> str:
    try:
        return Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return ""


def _cpuinfo_flags(text: str) -> frozenset[str]:
    """The flags that every core has (cores can differ on ARM)."""
    lists = [
        frozenset(value.split())
        for key, _, value in (line.partition(":") for line in text.splitlines())
        if key.strip() in ("flags", "Features")
    ]
    return frozenset.intersection(*lists) if lists else frozenset()


def _numpy_features() -> frozenset[str]:
    """numpy asks the processor and the system itself; the table is private to numpy, so its absence means "unknown"."""
    features = getattr(importlib.import_module("numpy._core._multiarray_umath"), "__cpu_features__", {})
    return frozenset(name for name, present in features.items() if present)
