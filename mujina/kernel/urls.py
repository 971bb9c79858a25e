"""Addresses as clients see them. A request sets the address of the instance; jobs, hooks and mail use the configured one."""

import re
from collections.abc import Sequence
from contextvars import ContextVar
from functools import lru_cache
from urllib.parse import quote, urlsplit

import msgspec

from mujina.settings import Settings

SSH_DEFAULT = 22
WEB_SCHEMES = ("http", "https")
_plain = re.compile(r"[A-Za-z0-9/_.~-]*").fullmatch
_local = re.compile(r"/(?![/\\])[!-\[\]-~]*").fullmatch


class InstanceAddress(msgspec.Struct, frozen=True):
    """How this instance is reached: `https://host:port`, and the port and host of git over SSH."""

    base: str
    ssh_port: int = SSH_DEFAULT
    ssh_host: str | None = None
    """None: the host of the base."""


_DEFAULT = InstanceAddress("http://localhost")
instance_address: ContextVar[InstanceAddress] = ContextVar("instance_address", default=_DEFAULT)


def use_configured(settings: Settings) -> None:
    """Makes addresses the configured ones from here on, whatever request this follows from."""
    instance_address.set(InstanceAddress(settings.url, *settings.ssh_address))


def web(path: str) -> str:
    """The address of a page: `web("/group/project")`."""
    return instance_address.get().base + quoted(path)


def quoted(path: str) -> str:
    """The path as addresses contain it."""
    # Nearly every path is plain, and the check is ten times as fast as quoting.
    return path if _plain(path) else quote(path, safe="/-._~!$&'()*+,;=:@")


def reference_at(path: str, sign: str) -> str:
    """The reference of what has its page at this path: `/group/project/issues/7` → `group/project#7`."""
    page, _, number = path[1:].rpartition("/")
    return f"{page.rpartition('/')[0]}{sign}{number}"


def is_local(path: str) -> bool:
    """Whether a redirect to it stays on this site: a path that no browser reads as a host."""
    return _local(path) is not None


def has_host(text: str, schemes: Sequence[str] = WEB_SCHEMES) -> bool:
    """Whether the text is an address with a host and one of these schemes."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in schemes and bool(parts.hostname)


def is_url(text: str, schemes: Sequence[str] = WEB_SCHEMES) -> bool:
    """Whether it is one without spaces and invisible characters."""
    return has_host(text, schemes) and text.isprintable() and " " not in text


def with_target(path: str, target: str) -> str:
    """The path of a page that leads to `target` when it is done, as the sign-in page does."""
    return f"{path}?target={quote(target, safe='/')}"


def api(path: str) -> str:
    """The address of an API resource: `api("/projects/1")`."""
    return f"{instance_address.get().base}/api/v4{path}"


@lru_cache
def _host(base: str) -> str:
    host = urlsplit(base).hostname or "localhost"
    return f"[{host}]" if ":" in host else host


def ssh(full_path: str) -> str:
    """The address of a repository over SSH; another port than 22 needs the long form."""
    here = instance_address.get()
    host = here.ssh_host or _host(here.base)
    if here.ssh_port == SSH_DEFAULT:
        return f"git@{host}:{full_path}.git"
    return f"ssh://git@{host}:{here.ssh_port}/{full_path}.git"
