"""The probe server as a program, with a model stage that fails where `--no-model` is given."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from server import cli
from server.parts import StartError
from server.paths import Home
from server.settings import Settings
from tests.probe_server import ProbeParts


class BrokenModel(ProbeParts):
    """Its model cannot be loaded."""

    def __init__(self, home: Home, settings: Settings) -> None:
        super().__init__(home, settings)
        self.failing["model"] = StartError("The model file is damaged. Install OwnSona again.")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    parts = BrokenModel if "--no-model" in arguments else ProbeParts
    with mock.patch.object(cli, "make_parts", parts):
        sys.exit(cli.main([argument for argument in arguments if argument != "--no-model"]))
