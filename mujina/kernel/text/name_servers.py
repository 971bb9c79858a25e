"""Addresses of name servers, as operators write them."""

from ipaddress import ip_address
from typing import Final

DNS_PORT: Final = 53
MAX_PORT: Final = 65_535


def parse_name_server(text: str) -> tuple[str, int]:
    """The address and the port of `10.0.0.2`, `127.0.0.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`; `ValueError` otherwise."""
    address, colon, port = text.rpartition(":")
    if not colon or (":" in address and not address.endswith("]")):  # without a port
        address, port = text, str(DNS_PORT)
    if address.startswith("[") and address.endswith("]"):
        address = address[1:-1]
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= MAX_PORT):
        raise ValueError(text)
    ip_address(address)
    return address, int(port)
