"""`ownsona mcp` over the probe toolset; the server that it starts is the probe server. Options: the home."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from server import bridge
from server.paths import Home

SERVER = [sys.executable, "-m", "tests.probe_server", "serve", "--leased"]


def write_schemas(folder: Path) -> Path:
    """The generated file, for the probe."""
    from server.toolsets.schemas import document
    from tests.probe_toolset import ProbeToolset

    file = folder / "schemas.json"
    probe = ProbeToolset()
    file.write_text(document({probe.name: (probe.instructions, probe.tools)}), encoding="utf-8")
    return file


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(bridge.run(Home.at(Path(sys.argv[1])), "memories", write_schemas(Path(folder)), SERVER))
