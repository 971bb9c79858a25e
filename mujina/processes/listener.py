"""The sockets of HTTP and SSH, opened by us: a port that is taken is a plain sentence, port 0 is known before it is served."""

import errno
import resource
import socket
import sys

BACKLOG = 4_096
"""Connections the kernel keeps for us while all processes are busy; capped by `net.core.somaxconn`."""
STALLED_MILLISECONDS = 300_000
"""A client that takes nothing of an answer for this long is cut off."""
KEPT_FILES = 256
"""Of the files a process may open, those that are not connections: database, pipes, repositories."""


class CannotListen(Exception):
    """The address cannot be listened on; the message says what to do."""


def bind(host: str, port: int, processes: int = 1, *, option: str = "--port") -> list[socket.socket]:
    """A socket for each process, all of the same address, which is ours alone from here on: whoever connects waits.

    They listen at once. Two servers can bind the same port, but only one of them can listen on it.
    """
    first = _listening(host, port, option)
    if processes == 1:
        return [first]
    if sys.platform != "linux":
        return [first] * processes
    # The kernel spreads connections over sockets that share a port. The first was opened without sharing: had anybody
    # else been there, even one who shares, it would have been refused. Only then are the others let in beside it.
    first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    port = first.getsockname()[1]
    return [first, *(_listening(host, port, option, shared=True) for _ in range(processes - 1))]


def _listening(host: str, port: int, option: str, *, shared: bool = False) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise CannotListen(f"host: {host} is no address of this machine; try 127.0.0.1 or 0.0.0.0.") from None
    listener = socket.socket(family, kind, protocol)
    try:
        _shape(listener)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as trouble:
        listener.close()
        raise CannotListen(_explain(trouble, host, port, option)) from None
    return listener


def room_for_connections(wanted: int) -> int:
    """How many connections this process can have open, after raising its limit of open files as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted + KEPT_FILES:
        soft = wanted + KEPT_FILES if hard == resource.RLIM_INFINITY else min(wanted + KEPT_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - KEPT_FILES))


def _shape(listener: socket.socket) -> None:
    """What accepted connections inherit."""
    listener.setblocking(False)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if listener.family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_MILLISECONDS)


def _explain(trouble: OSError, host: str, port: int, option: str) -> str:
    match trouble.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is taken: stop what listens there, or choose another with {option}."
        case errno.EACCES:
            return f"Port {port} is kept for the system: choose one above 1023 with {option}, and a proxy in front."
        case errno.EADDRNOTAVAIL:
            return f"host: {host} is no address of this machine; try 127.0.0.1 or 0.0.0.0."
        case _:
            return f"Port {port} on {host} cannot be listened on: {trouble.strerror}."
