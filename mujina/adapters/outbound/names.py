"""Records of names in DNS, asked of the name servers of the system or of those that the operator names."""

from collections.abc import Sequence
from typing import Any, Final

from mujina.kernel import deferred_imports

SECONDS: Final = 5.0
DNS_PORT: Final = 53


async def read_txt(name: str, servers: Sequence[str]) -> list[str]:
    """The TXT records of a name; none if there is no such name, or no server answers in time.

    `servers` are addresses such as `10.0.0.2` or `127.0.0.1:5353`.
    """
    asyncresolver, nameserver, exception = deferred_imports.dns()
    try:
        resolver = asyncresolver.Resolver(configure=not servers)
        if servers:
            resolver.nameservers = [_server(nameserver, each) for each in servers]
        resolver.lifetime = SECONDS
        answer = await resolver.resolve(name, "TXT", search=False)
    except (exception.DNSException, ValueError):
        return []
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]


def _server(nameserver: Any, text: str) -> Any:
    address, colon, port = text.rpartition(":")
    if colon and address.count(":") == 0:
        return nameserver.Do53Nameserver(address, int(port))
    return nameserver.Do53Nameserver(text.strip("[]"), DNS_PORT)
