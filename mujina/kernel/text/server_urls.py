"""Addresses of servers in settings."""

from urllib.parse import urlsplit


def check_server_url(url: str) -> None:
    """Raise `ValueError` if the host cannot be one, or the port is not from 1 to 65535."""
    parts = urlsplit(url)
    if not parts.hostname or parts.port == 0:
        raise ValueError(url)
