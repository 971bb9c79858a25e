"""Records of names in DNS, asked of the name servers of the system or of those that the operator names."""

from collections.abc import Sequence
from typing import Final

from mujina.kernel import deferred_imports
from mujina.kernel.text.name_servers import parse_name_server

SECONDS: Final = 5.0


async def read_txt(name: str, servers: Sequence[str]) -> list[str]:
    """The TXT records of a name; none if there is no such name, or no server answers in time.

    `servers` are addresses such as `10.0.0.2` or `127.0.0.1:5353`.
    """
    asyncresolver, nameserver, exception = deferred_imports.dns()
    try:
        resolver = asyncresolver.Resolver(configure=not servers)
        if servers:
            resolver.nameservers = [nameserver.Do53Nameserver(*parse_name_server(each)) for each in servers]
        resolver.lifetime = SECONDS
        answer = await resolver.resolve(name, "TXT", search=False)
    except exception.DNSException:
        return []
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
