"""The owner's token in a real Secret Service, in a session bus of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NEEDED = ("dbus-run-session", "gnome-keyring-daemon")

# What runs inside the session. The keychain's password is that of a keychain which is thrown away.
SESSION = 'printf keychain | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"'
WAY = """
import sys
from pathlib import Path
from server.paths import Home
from server.secrets_store import chosen, move, owner_token
home = Home.at(Path(sys.argv[1]))
token = owner_token(home)
assert move(home, "keychain") == chosen(home) == "keyring.backends.SecretService.Keyring"
assert not (home.state / "owner-token").exists()
assert owner_token(home) == token
assert move(home, "file") == chosen(home) == "file"
assert owner_token(home) == token
move(home, "keychain")
import secretstorage
connection = secretstorage.dbus_init()
secretstorage.get_default_collection(connection).lock()
connection.close()
try:
    owner_token(home)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(any(shutil.which(name) is None for name in NEEDED), reason="dbus-run-session or gnome-keyring-daemon is not installed")
def test_there_and_back(tmp_path: Path) -> None:
    """Into the keychain, out again with the same token; a locked keychain is told and opens no dialog."""
    folders = {name: str(tmp_path / name) for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    for folder in folders.values():
        Path(folder).mkdir(mode=0o700)
    environment = {**{name: value for name, value in os.environ.items() if name != "DBUS_SESSION_BUS_ADDRESS"}, **folders}
    command = ["dbus-run-session", "--", "sh", "-c", SESSION, "sh", sys.executable, "-c", WAY, str(tmp_path / "home")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "is locked or not reachable" in done.stdout
