"""The listening sockets for HTTP and SSH. Opening them here gives clear errors and resolves port 0 before serving."""

import errno
import resource
import socket
import sys

BACKLOG = 4_096
"""Connections the kernel queues while all processes are busy; capped by `net.core.somaxconn`."""
STALLED_MILLISECONDS = 300_000
"""A client that reads nothing of its response for this long is disconnected."""
RESERVED_FILES = 256
"""Open files of a process that are not connections: database, pipes, repositories."""


MIN_FILES = RESERVED_FILES + 64
"""The least number of files a process must be allowed to open: with fewer, requests would fail at random."""


class CannotListen(Exception):
    """The address is not available; the message says what to do."""


class TooFewFiles(Exception):
    """The limit of open files is too low to serve; the message says what to do."""


def check_open_files() -> None:
    """Refuse to start if the limit of open files is too low and cannot be raised."""
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < MIN_FILES:
        raise TooFewFiles(
            f"This process may open {allowed} files, and needs at least {MIN_FILES}: raise the limit "
            "(`ulimit -n 65536`, or `LimitNOFILE=65536` of a systemd service)."
        )


def bind(host: str, port: int, processes: int = 1, *, option: str = "--port") -> list[socket.socket]:
    """Return one listening socket per process, all for the same address; no other server can take it from now on.

    Binding is not enough: two servers can bind the same port, but only one can listen on it.
    """
    first = _listening(host, port, option)
    if processes == 1:
        return [first]
    if sys.platform != "linux":
        return [first] * processes
    # The kernel spreads connections over sockets that share a port. The first socket is opened without SO_REUSEPORT,
    # so that it fails if another server has the port, even a sharing one. Only then do the others join it.
    first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    port = first.getsockname()[1]
    return [first, *(_listening(host, port, option, shared=True) for _ in range(processes - 1))]


def _listening(host: str, port: int, option: str, *, shared: bool = False) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise CannotListen(f"host: {host} is not an address of this machine; try 127.0.0.1 or 0.0.0.0.") from None
    listener = socket.socket(family, kind, protocol)
    try:
        _configure(listener)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListen(_explain(error, host, port, option)) from None
    return listener


def connection_limit(requested: int, ports: int = 1) -> int:
    """The number of connections at each of its ports that this process can open at once.

    The limit of open files is raised as far as allowed. If that is not enough, the ports get equal parts: none can use up
    the files of another.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = requested * ports + RESERVED_FILES
    if soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(requested, (soft - RESERVED_FILES) // ports))


def _configure(listener: socket.socket) -> None:
    """Set the options that accepted connections inherit."""
    listener.setblocking(False)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if listener.family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_MILLISECONDS)


def _explain(error: OSError, host: str, port: int, option: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is already in use: stop the server that uses it, or choose another with {option}."
        case errno.EACCES:
            return f"Port {port} is privileged: choose one above 1023 with {option}, and put a proxy in front."
        case errno.EADDRNOTAVAIL:
            return f"host: {host} is not an address of this machine; try 127.0.0.1 or 0.0.0.0."
        case _:
            return f"Port {port} on {host} is not available: {error.strerror}."
