"""Ports of this machine for programs that cannot choose one themselves."""

import random
import socket
from contextlib import suppress
from pathlib import Path


def free_port() -> int:
    """None that the system gives to whoever asks for any: between our look and the servers' it might."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(10_000, lowest), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("every port is taken")
