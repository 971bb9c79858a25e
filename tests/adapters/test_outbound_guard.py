import ipaddress
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mujina.adapters.outbound.guard import AllowedEndpoint, OutboundForbidden, OutboundGuard

LOOPBACK = "a loopback address"
PRIVATE = "a private address"
LINK_LOCAL = "a link-local address"
METADATA = "a cloud metadata address"
MULTICAST = "a multicast address"
RESERVED = "a reserved address"
DOCUMENTATION = "a documentation address"
UNSPECIFIED = "an unspecified address"

REFUSED = {
    "127.0.0.1": LOOPBACK,
    "127.255.255.254": LOOPBACK,
    "::1": LOOPBACK,
    "10.0.0.1": PRIVATE,
    "172.16.0.1": PRIVATE,
    "172.31.255.255": PRIVATE,
    "192.168.1.1": PRIVATE,
    "100.64.0.1": PRIVATE,
    "100.127.255.255": PRIVATE,
    "198.18.0.1": PRIVATE,
    "fc00::1": PRIVATE,
    "fd12:3456::1": PRIVATE,
    "fec0::1": PRIVATE,
    "169.254.0.1": LINK_LOCAL,
    "169.254.170.2": LINK_LOCAL,
    "fe80::1": LINK_LOCAL,
    "169.254.169.254": METADATA,
    "100.100.100.200": METADATA,
    "168.63.129.16": METADATA,
    "192.0.0.192": METADATA,
    "fd00:ec2::254": METADATA,
    "fd20:ce::254": METADATA,
    "0.0.0.0": UNSPECIFIED,
    "::": UNSPECIFIED,
    "0.1.2.3": RESERVED,
    "192.0.0.8": RESERVED,
    "192.88.99.1": RESERVED,
    "240.0.0.1": RESERVED,
    "255.255.255.255": "a broadcast address",
    "192.0.2.1": DOCUMENTATION,
    "198.51.100.1": DOCUMENTATION,
    "203.0.113.1": DOCUMENTATION,
    "2001:db8::1": DOCUMENTATION,
    "3fff::1": DOCUMENTATION,
    "224.0.0.1": MULTICAST,
    "239.255.255.250": MULTICAST,
    "ff02::1": MULTICAST,
    "100::1": RESERVED,
    "5f00::1": RESERVED,
    "4000::1": RESERVED,
    "2001:10::1": RESERVED,
    # An IPv4 address in the clothes of an IPv6 one
    "::ffff:127.0.0.1": LOOPBACK,
    "::ffff:169.254.169.254": METADATA,
    "::ffff:10.1.2.3": PRIVATE,
    "::127.0.0.1": LOOPBACK,
    "::8.8.8.8": RESERVED,
    "::ffff:0:127.0.0.1": LOOPBACK,
    "::ffff:0:8.8.8.8": RESERVED,
    "64:ff9b::10.0.0.1": PRIVATE,
    "64:ff9b::169.254.169.254": METADATA,
    "64:ff9b:1::8.8.8.8": RESERVED,
    "64:ff9b:1::169.254.169.254": METADATA,
    "2002:b00::": RESERVED,
    "2002:808:808::1": RESERVED,
    "2002:7f00:1::": RESERVED,
    "2002:a9fe:a9fe::1": METADATA,
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": RESERVED,
    "2a00:1450::5efe:192.168.0.1": PRIVATE,
    "2a00:1450::200:5efe:127.0.0.1": LOOPBACK,
    "fe80::1%eth0": "an address of one network interface",
}

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]

SPECIAL = [
    # IANA's special-purpose address registries as of 2025, multicast and site-local addresses. Two blocks are
    # left out, because an address there is as public as the IPv4 address inside: ::ffff:0:0/96 and 64:ff9b::/96.
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16",
    "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "255.255.255.255/32",
    "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128",
    "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28",
    "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused_by_its_kind(address: str):
    refusal = OutboundGuard().check("hooks.example", 443, address)
    assert isinstance(refusal, OutboundForbidden)
    assert str(refusal) == f"hooks.example is at {REFUSED[address]}, which may not be called."


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_called(address: str):
    assert OutboundGuard().check("hooks.example", 443, address) is None


@pytest.mark.parametrize("block", SPECIAL)
@settings(max_examples=10)
@given(data=st.data())
def test_special_purpose_addresses_are_refused(block: str, data: st.DataObject):
    network = ip_network(block)
    for address in (network[0], network[-1], data.draw(st.ip_addresses(network=network))):
        assert OutboundGuard().check("hooks.example", 443, str(address))


def test_the_judgment_does_not_depend_on_what_python_calls_special(monkeypatch: pytest.MonkeyPatch):
    for version in (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network):
        for name in [name for name in dir(version) if name.startswith("is_")]:
            monkeypatch.setattr(version, name, property(_unused))
    assert [address for address in REFUSED if not OutboundGuard().check("hooks.example", 443, address)] == []
    assert [address for address in PUBLIC if OutboundGuard().check("hooks.example", 443, address)] == []


def _unused(address: object):
    raise AssertionError(f"Python was asked what kind of address {address} is")


@given(st.ip_addresses(v=4))
def test_ipv6_forms_do_not_make_an_ipv4_address_public(address: object):
    if OutboundGuard().check("hooks.example", 443, str(address)):
        bits = int(ip_address(str(address)))
        for dressed in (f"::ffff:{address}", f"64:ff9b::{address}", f"::{address}", f"::ffff:0:{address}"):
            assert OutboundGuard().check("hooks.example", 443, dressed)
        assert OutboundGuard().check("hooks.example", 443, str(ip_address((0x2002 << 112) | (bits << 80))))


def test_an_address_of_this_instance_is_refused_though_public():
    refusal = OutboundGuard().check("forge.example", 443, "8.8.8.8", own=True)
    assert str(refusal) == "forge.example is at an address of this instance, which may not be called."
    assert OutboundGuard(["forge.example"]).check("forge.example", 443, "8.8.8.8", own=True) is None


@pytest.mark.parametrize(
    ("port", "open_"), [(80, True), (443, True), (1024, True), (65535, True), (22, False), (25, False)]
)
def test_only_ports_of_the_web_are_called(port: int, open_: bool):
    assert (OutboundGuard().check("hooks.example", port, "8.8.8.8") is None) == open_
    assert OutboundGuard([f"hooks.example:{port}"]).check("hooks.example", port, "8.8.8.8") is None


@pytest.mark.parametrize(
    ("entry", "host", "port", "address", "allowed"),
    [
        ("localhost:8080", "localhost", 8080, "127.0.0.1", True),
        ("localhost:8080", "localhost", 8081, "127.0.0.1", False),
        ("localhost:8080", "other", 8080, "127.0.0.1", False),
        ("LocalHost.", "localhost", 9, "::1", True),
        ("hooks.internal", "hooks.internal", 22, "10.1.2.3", True),
        ("hooks.internal", "evil.hooks.internal", 80, "10.1.2.3", False),
        ("10.0.0.0/8", "hooks.internal", 25, "10.1.2.3", True),
        ("10.0.0.0/8", "hooks.internal", 80, "192.168.1.1", False),
        ("10.0.0.0/8:8080", "x", 8080, "10.1.2.3", True),
        ("10.0.0.0/8:8080", "x", 80, "10.1.2.3", False),
        ("127.0.0.1:9000", "localhost", 9000, "127.0.0.1", True),
        ("127.0.0.1:9000", "localhost", 9000, "127.0.0.2", False),
        ("127.0.0.1:9000", "x", 9000, "::ffff:127.0.0.1", True),
        ("127.0.0.1", "x", 80, "64:ff9b::127.0.0.1", False),
        ("::1", "localhost", 80, "::1", True),
        ("[::1]:9000", "localhost", 9000, "::1", True),
        ("[::1]:9000", "localhost", 9001, "::1", False),
        ("fd00::/8", "x", 80, "fd12::1", True),
        ("[fd00::/8]:80", "x", 80, "fd12::1", True),
        ("fe80::/10", "x", 80, "fe80::1%eth0", False),
        # Credentials of the machine are not given away with a range
        ("169.254.0.0/16", "x", 80, "169.254.1.1", True),
        ("169.254.0.0/16", "x", 80, "169.254.169.254", False),
        ("0.0.0.0/0", "x", 80, "169.254.169.254", False),
        ("fd00::/8", "x", 80, "fd00:ec2::254", False),
        ("::/0", "x", 80, "64:ff9b::169.254.169.254", False),
        ("64:ff9b:1::/48", "x", 80, "64:ff9b:1::169.254.169.254", False),
        ("64:ff9b:1::/48", "x", 80, "64:ff9b:1::10.0.0.1", True),
        ("2002::/16", "x", 80, "2002:a9fe:a9fe::1", False),
        ("2002::/16", "x", 80, "2002:808:808::1", True),
        ("169.254.169.254", "x", 80, "169.254.169.254", True),
    ],
)
def test_the_operator_opens_hosts_networks_and_ports(entry: str, host: str, port: int, address: str, allowed: bool):
    assert (OutboundGuard([entry]).check(host, port, address) is None) == allowed


@pytest.mark.parametrize(
    "entry",
    ["", "a b", "http://x", "x:99999", "x:", "10.0.0.1/8", "127.1", "256.1.1.1", "[::1", "[x]", "*.example", "a/b"],
)
def test_an_entry_that_means_nothing_is_refused_at_start(entry: str):
    with pytest.raises(ValueError, match=r"\S"):
        AllowedEndpoint.parse(entry)


@pytest.mark.parametrize("forbidden", ["10.0.0.1", "::1", "169.254.169.254", "fe80::1%eth0"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_one_forbidden_address_among_several_refuses_the_name(forbidden: str, position: int):
    addresses = ["8.8.8.8", "2606:4700:4700::1111"]
    guard = OutboundGuard()
    assert guard.admit("honest.example", 80, addresses) == addresses
    addresses.insert(position, forbidden)
    with pytest.raises(OutboundForbidden, match="which may not be called"):
        guard.admit("mixed.example", 80, addresses)


def test_one_address_of_this_machine_among_several_refuses_the_name():
    with pytest.raises(OutboundForbidden, match="of this instance"):
        OutboundGuard().admit("forge.example", 80, ["1.1.1.1", "8.8.8.8"], own={"8.8.8.8"})


def test_a_name_is_called_if_the_operator_lists_all_of_its_addresses_or_the_name():
    addresses = ["10.0.0.1", "fd00::1"]
    for listed in (["10.0.0.0/8", "fd00::/8"], ["hooks.internal"]):
        assert OutboundGuard(listed).admit("hooks.internal", 80, addresses) == addresses
    with pytest.raises(OutboundForbidden):
        OutboundGuard(["10.0.0.0/8"]).admit("hooks.internal", 80, addresses)


def test_localhost_is_called_at_the_address_that_is_listed():
    assert OutboundGuard(["127.0.0.1"]).admit("localhost", 80, ["::1", "127.0.0.1"]) == ["127.0.0.1"]
    with pytest.raises(OutboundForbidden):
        OutboundGuard().admit("localhost", 80, ["::1", "127.0.0.1"])


def test_a_refusal_does_not_tell_the_address():
    assert "10.9.8.7" not in str(OutboundGuard().check("secret.internal", 80, "10.9.8.7"))
