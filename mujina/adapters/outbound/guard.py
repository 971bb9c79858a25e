"""Which hosts may be called: public addresses on web ports, and the operator's allow list. Opens no connection."""

from collections.abc import Container, Iterable
from ipaddress import ip_address, ip_network
from typing import NamedTuple, Self

from mujina.adapters.outbound.addresses import Address, Network, kind, leads_to_metadata, plain
from mujina.kernel.text.deferred_patterns import deferred_pattern

_ENTRY = deferred_pattern(r"(?:\[(?P<bracketed>[^\]]+)\]|(?P<bare>[^\[\]:]+))(?::(?P<port>[0-9]{1,5}))?")
_NAME = deferred_pattern(r"(?!-)[a-z0-9_.-]{1,253}")


def is_localhost(host: str) -> bool:
    """Whether the name means this machine, whatever DNS says."""
    return host == "localhost" or host.endswith(".localhost")


class OutboundForbidden(Exception):
    """The guard forbids the call; a retry fails too. The message may be shown to the user."""


class AllowedEndpoint(NamedTuple):
    """One entry of the operator's list: a host by name or a network, on one port or on any."""

    name: str | None
    network: Network | None
    port: int | None

    @classmethod
    def parse(cls, entry: str) -> Self:
        """`hooks.internal`, `localhost:8080`, `10.0.0.0/8`, `127.0.0.1:9000`, `fd00::/8` or `[::1]:9000`."""
        if entry.count(":") > 1 and not entry.startswith("["):
            entry = f"[{entry}]"
        parts = _ENTRY.fullmatch(entry.strip().lower())
        if not parts or int(parts["port"] or 0) > 65_535:
            raise ValueError(f"{entry!r} is no host, network or host:port")
        host, port = parts["bracketed"] or parts["bare"], int(parts["port"]) if parts["port"] else None
        if parts["bracketed"] or "/" in host or host.replace(".", "").isdigit():
            return cls(None, ip_network(host), port)
        if not _NAME.fullmatch(host):
            raise ValueError(f"{entry!r} is no host, network or host:port")
        return cls(host.removesuffix("."), None, port)

    def covers(self, host: str, port: int, address: Address) -> bool:
        """Whether this entry allows the address for this host."""
        if self.port not in {None, port}:
            return False
        if self.network is None:
            return host == self.name
        # A metadata service exposes credentials: only an entry with its exact address allows it.
        return address in self.network and (not leads_to_metadata(address) or self.network.num_addresses == 1)


class OutboundGuard:
    """Checks addresses against the operator's allow list."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._allowed = tuple(AllowedEndpoint.parse(entry) for entry in allow)

    def admit(
        self, host: str, port: int, addresses: Iterable[str], own: Container[str] = (), *, ssh: bool = False
    ) -> list[str]:
        """The host's addresses; `OutboundForbidden` if one of them may not be called. `own` are this machine's.

        No honest name has a public and an internal address, and the DNS server that answers chooses their order. `localhost` is
        not asked of DNS, and listing one of its two addresses suffices.
        """
        problems = {address: self.check(host, port, address, own=address in own, ssh=ssh) for address in addresses}
        allowed = [address for address, problem in problems.items() if problem is None]
        for problem in problems.values():
            if problem is not None and not (allowed and is_localhost(host)):
                raise problem
        return allowed

    def check(
        self, host: str, port: int, address: str, *, own: bool = False, ssh: bool = False
    ) -> OutboundForbidden | None:
        """Why this address, to which the host resolves, may not be called (`own`: it is this machine's); None if it may.

        The message names the kind of the address, not the address: it must not resolve names of the internal network.
        """
        if "%" in address:
            return OutboundForbidden(f"{host} is at an address of one network interface, which may not be called.")
        dialed = plain(ip_address(address))
        if any(entry.covers(host, port, dialed) for entry in self._allowed):
            return None
        if named := kind(dialed) or ("an address of this instance" if own else None):
            return OutboundForbidden(f"{host} is at {named}, which may not be called.")
        well_known = (22,) if ssh else (80, 443)
        if port not in well_known and port < 1024:
            named = ", ".join(map(str, well_known))
            return OutboundForbidden(f"Port {port} may not be called: only {named} and those from 1024 on.")
        return None
