"""The kinds of network addresses: only public ones are dialed, in whatever form they are written.

The tables are our own. What `ipaddress.is_global` answers changes between patch releases of Python, and it calls the
metadata service of a cloud global, and an IPv4 address inside an IPv6 one too. So no `is_…` property is used here.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

METADATA = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",  # nearly everybody
            "168.63.129.16",  # Azure, inside a public range
            "100.100.100.200",  # Alibaba
            "192.0.0.192",  # Oracle
            "fd00:ec2::254",  # AWS
            "fd20:ce::254",  # Google
        ),
    )
)
"""Where clouds give machines their credentials."""

_KINDS: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("0.0.0.0/32", "an unspecified address"),
        ("0.0.0.0/8", "a reserved address"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a private address"),  # shared by the customers of a carrier
        ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "a documentation address"),
        ("192.31.196.0/24", "a reserved address"),  # AS112: answers DNS for private addresses, perhaps inside a network
        ("192.52.193.0/24", "a reserved address"),  # relays of AMT
        ("192.88.99.0/24", "a reserved address"),  # relays of 6to4
        ("192.168.0.0/16", "a private address"),
        ("192.175.48.0/24", "a reserved address"),  # AS112
        ("198.18.0.0/15", "a private address"),  # benchmarks inside a network
        ("198.51.100.0/24", "a documentation address"),
        ("203.0.113.0/24", "a documentation address"),
        ("224.0.0.0/4", "a multicast address"),
        ("255.255.255.255/32", "a broadcast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("::/128", "an unspecified address"),
        ("::1/128", "a loopback address"),
        ("2001:db8::/32", "a documentation address"),
        ("2001::/23", "a reserved address"),  # protocols, Teredo among them
        ("2002::/16", "a reserved address"),  # 6to4: deprecated, and a relay leads to any IPv4 address
        ("2620:4f:8000::/48", "a reserved address"),  # AS112
        ("3fff::/20", "a documentation address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a private address"),  # site-local
        ("ff00::/8", "a multicast address"),
    )
)
"""Every block of IANA's IPv4 and IPv6 special-purpose address registries (as of 2025), and multicast.

The blocks that the registries call globally reachable are refused as well: no web server is there. IPv6 blocks outside
`_PUBLIC` are listed only where their kind has a name.
"""

_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_PUBLIC = (IPv6Network("2000::/3"), _MAPPED, _NAT64)
"""The IPv6 addresses that may be public; every other one is reserved. The last two are as public as the IPv4 address inside."""

_CARRIERS = (
    # Where an IPv4 address is inside an IPv6 one: how many bits stand behind it.
    (_MAPPED, 0),
    (_NAT64, 0),
    (IPv6Network("64:ff9b:1::/48"), 0),  # NAT64 of one network
    (IPv6Network("::/96"), 0),  # IPv4-compatible
    (IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (IPv6Network("2002::/16"), 80),  # 6to4
    (IPv6Network("2001::/32"), 64),  # the server of Teredo
)
_ISATAP = 0x00005EFE
_TEREDO = IPv6Network("2001::/32")


def kind(address: Address) -> str | None:
    """Returns the objection to dialing this address ("a loopback address"); None for a public one."""
    if leads_to_metadata(address):
        return "a cloud metadata address"
    for network, named in _KINDS:
        if address in network:
            return named
    if isinstance(address, IPv6Address):
        for inner in _inside(address):
            if named := kind(inner):
                return named
        if not any(address in network for network in _PUBLIC):
            return "a reserved address"
    return None


def plain(address: Address) -> Address:
    """The address that is dialed: an IPv4-mapped one is the IPv4 one."""
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _MAPPED else address


def leads_to_metadata(address: Address) -> bool:
    """Whether this is a cloud metadata address, or an IPv6 address with one inside."""
    inner = _inside(address) if isinstance(address, IPv6Address) else ()
    return address in METADATA or any(each in METADATA for each in inner)


def _inside(address: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that a stack, a gateway or a tunnel would read out of this one."""
    bits = int(address)
    for network, behind in _CARRIERS:
        if address in network:
            yield IPv4Address(bits >> behind & 0xFFFFFFFF)
    if address in _TEREDO:
        yield IPv4Address(~bits & 0xFFFFFFFF)
    if bits >> 32 & 0xFDFFFFFF == _ISATAP:
        yield IPv4Address(bits & 0xFFFFFFFF)
