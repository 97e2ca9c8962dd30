"""The listening sockets of a server: loopback only, bound before anything heavy is imported. Standard library only."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys

if sys.platform != "win32":
    import resource

BACKLOG = 128
DESCRIPTORS = 4096  # macOS starts programs with 256
OTHER_DESCRIPTORS = 56  # of the server itself: logs, pipes, pool, event loop, files that are being written
MOST_CONNECTIONS, FEWEST_CONNECTIONS = 512, 8
ADDRESSES = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
PRIVILEGED = 1024  # ports below it are root's on Unix
CHOOSE = "choose another port with --port or OWNSONA_PORT and give your assistants the new address."
NO_IPV6 = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}


class PortBusyError(Exception):
    """The port is another program's, or the system's; the message says what to do."""


def listen(port: int) -> tuple[int, list[socket.socket]]:
    """Sockets that listen on 127.0.0.1 and, where there is IPv6, on ::1; 0 takes a free port. Raises PortBusyError, OSError.

    Both, because `localhost` may mean either, and whoever else had the other one would get our clients' tokens.
    """
    with contextlib.ExitStack() as opened:
        sockets: list[socket.socket] = []
        for family, address in ADDRESSES:
            try:
                bound = opened.enter_context(_bind(family, address, port))
            except OSError as error:
                if sockets and error.errno in NO_IPV6:
                    continue
                if error.errno == errno.EACCES and port < PRIVILEGED and sys.platform != "win32":
                    raise PortBusyError(f"Port {port} is reserved for the system: {CHOOSE}") from None
                if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                    raise PortBusyError(busy_advice(address, port)) from None
                raise
            port = bound.getsockname()[1]
            sockets.append(bound)
        opened.pop_all()
    return port, sockets


def raise_descriptor_limit() -> None:
    """Let this process open as many files and connections as it may need, where the system lets it."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connection_limit() -> int:
    """How many connections may be open, so that descriptors are left for everything else."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, soft - OTHER_DESCRIPTORS))


def busy_advice(address: str, port: int) -> str:
    """What to do about a busy port. Another one is never taken silently: clients store the address."""
    return f"Port {port} on {address} is taken by another program. Stop that program, or {CHOOSE}"


def _bind(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # With the protocol named, asyncio switches Nagle's algorithm off; else each answer on a kept connection takes 40 ms longer.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # there, REUSEADDR would let others in
        else:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((address, port))
        bound.listen(BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound
