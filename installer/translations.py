"""Takes the texts of the app into `resources/translations/ownsona_*.ts`, for `make translations`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = {"en": ["-pluralonly"], "de": []}  # English is the language of the source and needs its plurals alone


def update(folder: Path) -> None:
    """Bring the .ts files of a folder up to date. Raises CalledProcessError."""
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "app").rglob("*.py"))]
    for language, options in LANGUAGES.items():
        subprocess.run(
            [
                Path(sys.executable).with_name("pyside6-lupdate"),
                *("-silent", "-no-obsolete", "-locations", "none", "-source-language", "en", "-target-language", language),
                *options,
                *sources,
                *("-ts", str(folder / f"ownsona_{language}.ts")),
            ],
            cwd=ROOT,
            check=True,
        )


if __name__ == "__main__":
    update(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
