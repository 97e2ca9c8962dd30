"""Build the llama-cpp-python wheel once and keep it outside the checkout.

    python installer/llama_wheel.py            # prints the path of the wheel

The package is published as source only. Its default build takes about eight minutes on two cores, half of it for parts
that the Python package never loads; this build leaves those out. The wheel is compiled for this computer's processor,
so the cache key holds the processor's features beside the locks and the flags.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCKS = (HERE / "llama.lock", HERE / "llama-build.lock")
# llama.cpp's "common" library (chat parsers, downloads) is forced on by the package but never loaded by it; a plain
# variable, set before the project starts, wins over the forced cache entry.
NO_COMMON = "set(LLAMA_BUILD_COMMON OFF)\n"
FLAGS = ("-DLLAVA_BUILD=OFF",)


def processor_features() -> str:
    """The features that the compiler sees with -march=native, as one string."""
    if platform.system() == "Linux":
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        wanted = ("model name", "flags", "features", "cpu part")
        return "\n".join(sorted({line for line in lines if line.lower().startswith(wanted)}))
    if platform.system() == "Darwin":
        return subprocess.run(["sysctl", "machdep.cpu"], capture_output=True, text=True, check=True).stdout
    return platform.processor()


def cache_folder() -> Path:
    """The folder for this very combination of source, flags, system and processor (the wheel fits every Python 3)."""
    key = hashlib.sha256()
    for lock in LOCKS:
        key.update(lock.read_bytes())
    for part in (*FLAGS, NO_COMMON, platform.machine(), sys.platform, processor_features()):
        key.update(part.encode())
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "ownsona-desktop" / "wheels" / key.hexdigest()[:16]


def compiler_advice() -> str | None:
    """None if a C++ compiler is there, else one sentence on how to get one."""
    if sys.platform == "win32" or os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++"))):
        return None
    how = "xcode-select --install" if sys.platform == "darwin" else "apt-get install g++ (Debian, Ubuntu) or dnf install gcc-c++"
    return f"llama-cpp-python is compiled on your computer and needs a C++ compiler, which was not found. Install one: {how}."


def build(target: Path) -> Path:
    """Build the wheel into `target` and return its path. Raises CalledProcessError when the build fails."""
    with tempfile.TemporaryDirectory(prefix="ownsona-llama-") as scratch:
        work = Path(scratch)
        venv.create(work / "venv", with_pip=True)
        scripts = work / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        python = str(scripts / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--require-hashes", "-r", str(LOCKS[1])], check=True, stdout=sys.stderr)
        include = work / "no_common.cmake"
        include.write_text(NO_COMMON, encoding="utf-8")
        environment = dict(os.environ)
        environment["PATH"] = f"{scripts}{os.pathsep}{environment['PATH']}"
        environment["CMAKE_ARGS"] = " ".join([*FLAGS, f'-DCMAKE_PROJECT_llama_cpp_INCLUDE="{include.as_posix()}"'])
        made = work / "wheel"
        subprocess.run(
            [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--require-hashes", "-r", str(LOCKS[0]), "-w", str(made)],
            check=True,
            env=environment,
            stdout=sys.stderr,
        )
        (wheel,) = made.glob("*.whl")
        # A rename is atomic: two installs at once never see half a wheel.
        part = target / f"{wheel.name}.{os.getpid()}"
        shutil.copyfile(wheel, part)
        return part.replace(target / wheel.name)


def main() -> int:
    """Print the wheel's path; build it first where it is not there yet."""
    try:
        target = cache_folder()
        target.mkdir(parents=True, exist_ok=True)  # before minutes of building
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home folder
        variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
        print(f"There is no place to keep the wheel ({error}). Set {variable} to a folder that this user may write to.", file=sys.stderr)
        return 2
    for wheel in target.glob("*.whl"):
        print(wheel)
        return 0
    advice = compiler_advice()
    if advice:
        print(advice, file=sys.stderr)
        return 2
    print("Building llama-cpp-python for this processor (about four minutes, once).", file=sys.stderr)
    try:
        print(build(target))
    except subprocess.CalledProcessError as error:
        print(f"Building llama-cpp-python failed (exit code {error.returncode}); the messages above say why.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
