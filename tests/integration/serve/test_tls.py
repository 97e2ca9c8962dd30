"""A server with a certificate of the person's: everybody speaks TLS to it, and our own programs to nobody else."""

from __future__ import annotations

import json
import ssl
from pathlib import Path

import pytest

from server import joining
from server.paths import Home
from server.settings import Settings, SettingsError
from tests.certificates import make_certificate
from tests.programs import environment, program


def test_tls(tmp_path: Path) -> None:
    """Status, token, bridge and stop find their way; another certificate is not accepted."""
    home = Home.at(tmp_path / "home")
    certificate, key = make_certificate(tmp_path / "own")
    env = environment(OWNSONA_TLS_CERT=str(certificate), OWNSONA_TLS_KEY=str(key))
    options = ("--home", str(tmp_path / "home"))
    with program("-m", "tests.probe_server", "serve", *options, env=env) as server:
        assert server.line().startswith(b"OwnSona ready at https://127.0.0.1:")
        running = joining.announced(home)
        assert running is not None
        connection = joining.connect(running, 10)
        connection.request("GET", "/.well-known/oauth-authorization-server")
        assert json.loads(connection.getresponse().read())["issuer"] == running.origin
        connection.close()
        with program("-m", "server.cli", "mcp", *options, env=environment()) as bridge:
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
            bridge.stdin.write(json.dumps(call).encode() + b"\n")
            bridge.stdin.flush()
            assert json.loads(bridge.line())["result"]["structuredContent"]["text"] == "x"
        other, _ = make_certificate(tmp_path / "other")
        stranger = joining.Running(running.port, running.pid, running.secret, running.started, running.issuer, str(other))
        with pytest.raises(ssl.SSLCertVerificationError):
            joining.connect(stranger, 10).request("GET", "/healthz")
        assert joining.proves(stranger) is False
        with program("-m", "server.cli", "stop", *options, env=environment()) as stop:
            assert stop.end() == 0
        assert server.end() == 0


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    """Told before anything is served."""
    certificate, _ = make_certificate(tmp_path / "one")
    _, key = make_certificate(tmp_path / "two")
    for files in ((certificate, key), (tmp_path / "none", key)):
        env = environment(OWNSONA_TLS_CERT=str(files[0]), OWNSONA_TLS_KEY=str(files[1]))
        with program("-m", "tests.probe_server", "serve", "--home", str(tmp_path / "home"), env=env) as server:
            assert server.end() == 2
            assert "OWNSONA_TLS_KEY" in server.complaint


@pytest.mark.parametrize("name", ["OWNSONA_TLS_CERT", "OWNSONA_TLS_KEY", "OWNSONA_LOGIN_USERNAME", "OWNSONA_LOGIN_PASSWORD"])
def test_half_a_pair(name: str) -> None:
    """Both or none; the message names them and no value."""
    with pytest.raises(SettingsError, match="are needed together") as caught:
        Settings.read({name: "value"})
    assert "value" not in str(caught.value)
