"""A URL parsed once, for the guard, the connection and the request."""

from dataclasses import dataclass, field
from ipaddress import IPv6Address
from typing import Self
from urllib.parse import quote, unquote, urljoin, urlsplit

from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.kernel import deferred_imports
from mujina.kernel.text.deferred_patterns import deferred_pattern

_PORTS = {"http": 80, "https": 443, "ssh": 22}
_FORBIDDEN = deferred_pattern(r"[\x00-\x20\x7f\\\ud800-\udfff]")
_NAME = deferred_pattern(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_SAFE = "/?%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundTarget:
    """The parts of a URL. Its repr shows only scheme, host and port: paths and user names may contain secrets."""

    scheme: str
    host: str
    """The name in ASCII, lower case, without brackets or a final dot."""
    port: int
    path: str = field(repr=False)
    """Path and query, as they are sent."""
    auth: tuple[str, str] | None = field(repr=False)

    @classmethod
    def parse(cls, url: str, *, ssh: bool = False) -> Self:
        """The parts of an absolute http or https URL, or, with `ssh`, of an ssh URL; otherwise `OutboundForbidden`."""
        if _FORBIDDEN.search(url):
            raise OutboundForbidden("The URL contains white space, a control character or a backslash.")
        try:
            parts = urlsplit(url)
            port, host = parts.port, parts.hostname
        except ValueError:
            raise OutboundForbidden("The URL can not be understood.") from None
        if parts.scheme not in (("ssh",) if ssh else ("http", "https")):
            raise OutboundForbidden(f"The URL must begin with {'ssh://' if ssh else 'http:// or https://'}.")
        if not host or port == 0:
            raise OutboundForbidden("The URL names no host, or no port that exists.")
        auth = (unquote(parts.username or ""), unquote(parts.password or "")) if "@" in parts.netloc else None
        path = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")
        host = _address(host) if "[" in parts.netloc else _name(host)
        return cls(scheme=parts.scheme, host=host, port=port or _PORTS[parts.scheme], path=path, auth=auth)

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    def join(self, location: str) -> "OutboundTarget":
        """The target of a redirect from here, or `OutboundForbidden`."""
        try:
            url = urljoin(f"{self.scheme}://{self.authority}{self.path}", location)
        except ValueError:
            raise OutboundForbidden("The URL can not be understood.") from None
        return OutboundTarget.parse(url)


def _address(host: str) -> str:
    """The IPv6 address in brackets, without an interface."""
    try:
        address = IPv6Address(host)
    except ValueError:
        raise OutboundForbidden("The host is no IPv6 address.") from None
    if address.scope_id is not None:
        raise OutboundForbidden("An address of one network interface may not be called.")
    if address.ipv4_mapped is not None:  # from 3.13 on, Python would end it in the form of an IPv4 address
        high, low = divmod(int(address.ipv4_mapped), 1 << 16)
        return f"::ffff:{high:x}:{low:x}"
    return address.compressed


def _name(host: str) -> str:
    """The host name as DNS and TLS use it."""
    if not host.isascii():
        try:
            host = deferred_imports.idna().encode(host, uts46=True).decode()
        except UnicodeError:
            raise OutboundForbidden("The host is no host name.") from None
    host = host.removesuffix(".")
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise OutboundForbidden("The host is no host name.")
    return host
