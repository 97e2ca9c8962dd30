"""Host, Origin and size are checked on every path, before anything else; and what lies at no path."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path

import pytest

from tests.web_support import PATIENCE, Probe, fetch, serving

PATHS = [
    "/",
    "/mcp",
    "/mcp/other",
    "/mcp/nothing",
    "/healthz",
    "/oauth/jwks",
    "/oauth/nothing",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/nothing",
    "/api/v1/status",
    "/api/v1/challenge",
    "/api/v1/lease",
    "/nothing",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_foreign_host(probe: Probe, path: str, method: str) -> None:
    """Another site whose name was pointed at this computer gets nothing."""
    for host in (
        "evil.example",
        f"evil.example:{probe.port}",
        f"127.0.0.1:{probe.port + 1}",
        "127.0.0.1",
        f"127.0.0.1.evil.example:{probe.port}",
        "",
    ):
        assert fetch(probe.port, method, path, {"Host": host}).status == 421


@pytest.mark.parametrize("path", PATHS)
def test_foreign_origin(probe: Probe, path: str) -> None:
    """A page of another site in the person's browser gets nothing."""
    for origin in ("https://evil.example", "null", "https://127.0.0.1.evil.example", "http://localhost:1@evil.example", ""):
        assert fetch(probe.port, "POST", path, {"Origin": origin}).status == 403


@pytest.mark.parametrize("path", PATHS)
def test_pages_of_other_programs_here(probe: Probe, path: str) -> None:
    """They may use what needs a token or nothing, and never the owner's own paths."""
    answer = fetch(probe.port, "POST", path, {"Origin": f"http://127.0.0.1:{probe.port + 1}"})
    assert (answer.status == 403) != (path in ("/mcp", "/mcp/other", "/oauth/jwks") or path.startswith("/.well-known/"))


@pytest.mark.parametrize("path", PATHS)
def test_large_body(probe: Probe, path: str) -> None:
    """What is declared to be too large is refused before it is sent."""
    connection = http.client.HTTPConnection("127.0.0.1", probe.port, timeout=PATIENCE)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", "4194305")
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert b"LIMIT_EXCEEDED" in response.read()
    connection.close()


def test_large_body_in_pieces(probe: Probe) -> None:
    """A body without a declared length is cut off at the limit."""
    with socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as raw:
        raw.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{probe.port}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"10000\r\n" + b"a" * 65536 + b"\r\n"
        for _ in range(65):
            raw.sendall(piece)
        assert raw.recv(65536).startswith(b"HTTP/1.1 413")


def test_largest_body(probe: Probe) -> None:
    """Four MiB are still taken."""
    frame = len(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":""}}}')
    text = "a" * (4 * 1024 * 1024 - frame)
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}'.encode()
    assert len(body) == 4 * 1024 * 1024
    assert probe.post(body).status == 200


def test_a_client_that_goes_away_in_the_middle(probe: Probe) -> None:
    """Half a request harms nobody."""
    with socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as raw:
        raw.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{probe.port}\r\nContent-Length: 100\r\n\r\nabc".encode())
    assert fetch(probe.port, "GET", "/healthz").status == 200


def test_two_hosts(probe: Probe) -> None:
    """A request that names two hosts is not answered, whichever comes first."""
    with socket.create_connection(("127.0.0.1", probe.port), PATIENCE) as raw:
        raw.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{probe.port}\r\nHost: evil.example\r\n\r\n".encode())
        status = int(raw.recv(65536).split()[1])
    assert status in (400, 421)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_own_names(probe: Probe, name: str) -> None:
    """All spellings of this computer are good, as Host and as Origin."""
    own = f"{name}:{probe.port}"
    assert fetch(probe.port, "GET", "/healthz", {"Host": own, "Origin": f"http://{own}"}).status == 200
    document = fetch(probe.port, "GET", "/.well-known/oauth-protected-resource", {"Host": own}).json
    assert document["resource"] == f"http://{own}/mcp"
    assert document["authorization_servers"] == [f"http://127.0.0.1:{probe.port}"]


def test_ipv6(probe: Probe) -> None:
    """`localhost` may mean ::1, so the server is there too."""
    if len(probe.sockets) == 1:
        pytest.skip("this computer has no IPv6 loopback")
    with socket.create_connection(("::1", probe.port), PATIENCE) as raw:
        raw.sendall(f"GET /healthz HTTP/1.1\r\nHost: [::1]:{probe.port}\r\n\r\n".encode())
        assert raw.recv(65536).startswith(b"HTTP/1.1 200")


def test_public_address(tmp_path: Path) -> None:
    """With a public address, its Host and Origin are good too, and it is the issuer."""
    with serving(tmp_path / "home", public_url="https://memory.example.org") as probe:
        document = fetch(probe.port, "GET", "/.well-known/oauth-protected-resource/mcp", {"Host": "memory.example.org"}).json
        assert document["resource"] == "https://memory.example.org/mcp"
        assert document["authorization_servers"] == ["https://memory.example.org"]
        assert fetch(probe.port, "GET", "/healthz", {"Origin": "https://memory.example.org"}).status == 200
        assert probe.call("echo", token=probe.token(audience="https://memory.example.org/mcp")).status == 200


@pytest.mark.parametrize("path", ["/", "/nothing", "/mcp/nothing", "/mcp/", "/api/nothing"])
def test_unknown_paths_need_a_token(probe: Probe, path: str) -> None:
    """Only holders of a token learn that there is nothing."""
    assert fetch(probe.port, "GET", path).status == 401
    assert fetch(probe.port, "GET", path, {"Authorization": "Bearer x"}).status == 401
    assert fetch(probe.port, "GET", path, {"Authorization": f"Bearer {probe.token()}"}).status == 404
    assert fetch(probe.port, "GET", path, {"Authorization": f"Bearer {probe.token('/mcp/other')}"}).status == 404


@pytest.mark.parametrize("path", ["/oauth/nothing", "/.well-known/nothing"])
def test_open_paths(probe: Probe, path: str) -> None:
    """Discovery needs no token, and says plainly what is not there."""
    answer = fetch(probe.port, "GET", path)
    assert (answer.status, answer.json["error"]["code"]) == (404, "NOT_FOUND")


def test_jwks(probe: Probe) -> None:
    """Public halves only."""
    [key] = fetch(probe.port, "GET", "/oauth/jwks").json["keys"]
    assert key.keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}
