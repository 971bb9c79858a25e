"""Servers in trouble: down, silent, or closing every connection."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress


@contextmanager
def unfriendly_servers() -> Generator[Callable[[str], str]]:
    """Starts servers by name: the address of one that is `down`, never answers (`silent`), or `resets` connections."""
    listeners = list[socket.socket]()

    def start(trouble: str) -> str:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listeners.append(listener)
        if trouble != "down":  # a port at which nobody listens, and which nobody else gets
            listener.listen()
        if trouble == "resets":
            threading.Thread(target=_reset, args=[listener], daemon=True).start()
        return f"ldap://127.0.0.1:{port}"

    yield start
    for listener in listeners:
        with suppress(OSError):  # it does not listen
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _reset(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(3)
