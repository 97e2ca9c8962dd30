"""The listening sockets."""

from __future__ import annotations

import errno
import socket
import sys

import pytest

from server.listening import DESCRIPTORS, PortBusyError, connection_limit, listen, raise_descriptor_limit


def test_same_port_on_both() -> None:
    """A free port, the same for both addresses, with the protocol named (for asyncio's sake)."""
    port, sockets = listen(0)
    try:
        assert port > 0
        assert {one.getsockname()[1] for one in sockets} == {port}
        assert {one.getsockname()[0] for one in sockets} <= {"127.0.0.1", "::1"}
        assert {one.proto for one in sockets} == {socket.IPPROTO_TCP}
        with pytest.raises(PortBusyError, match=f"Port {port} on 127.0.0.1 is taken"):
            listen(port)
    finally:
        for one in sockets:
            one.close()


def test_again_at_once() -> None:
    """A port that was just given up can be taken again."""
    port, sockets = listen(0)
    with socket.create_connection(("127.0.0.1", port)) as client:
        accepted, _ = sockets[0].accept()
        accepted.close()
        for one in sockets:
            one.close()
        del client
    again, sockets = listen(port)
    for one in sockets:
        one.close()
    assert again == port


def test_without_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a computer without it, IPv4 alone."""
    monkeypatch.setattr("server.listening.ADDRESSES", ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "2001:db8::1")))
    _, sockets = listen(0)
    assert len(sockets) == 1
    sockets[0].close()


def test_other_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no busy port is told as it is, and no socket stays open."""
    monkeypatch.setattr("server.listening.ADDRESSES", ((socket.AF_INET, "192.0.2.1"),))
    with pytest.raises(OSError, match="assign"):
        listen(0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no ports for the system")
def test_port_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not said to be another program's."""

    def refuse(*_: object) -> socket.socket:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("server.listening._bind", refuse)  # root may take any port
    with pytest.raises(PortBusyError, match=r"^Port 80 is reserved for the system: choose another port"):
        listen(80)
    with pytest.raises(PortBusyError, match=r"^Port 8000 on 127\.0\.0\.1 is taken"):
        listen(8000)


def test_connections_leave_descriptors_for_the_rest() -> None:
    """The fewer files the system lets us open, the fewer connections are kept; and as many are asked for as may be had."""
    if sys.platform == "win32":
        pytest.skip("Windows has no such limit")
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < DESCRIPTORS:
        pytest.skip("this account may not open as many files")
    try:
        limits = []
        for soft in (256, 100, 64):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
            limits.append(connection_limit())
        assert limits == [200, 44, 8]
        raise_descriptor_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (DESCRIPTORS, before[1])
        assert connection_limit() == 512
        raise_descriptor_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (DESCRIPTORS, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
