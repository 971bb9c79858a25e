"""Where things are, seen from outside. The door says where for its request; jobs say the configured place."""

import re
from contextvars import ContextVar
from urllib.parse import quote, urlsplit

import msgspec

SSH_DEFAULT = 22
_plain = re.compile(r"[A-Za-z0-9/_.~-]*").fullmatch
_local = re.compile(r"/(?![/\\])[!-\[\]-~]*").fullmatch


class Place(msgspec.Struct, frozen=True):
    """How this instance is reached: `https://host:port` and the port of git over SSH."""

    base: str
    ssh_port: int = SSH_DEFAULT


_UNSAID = Place("http://localhost")
place: ContextVar[Place] = ContextVar("place", default=_UNSAID)


def web(path: str) -> str:
    """The address of a page: `web("/group/project")`."""
    # Nearly every path is plain, and asking is ten times as quick as quoting.
    return place.get().base + (path if _plain(path) else quote(path, safe="/-._~!$&'()*+,;=:@"))


def is_local(path: str) -> bool:
    """Whether a browser that is sent there stays on this site: a path, and nothing that a browser reads as a host."""
    return _local(path) is not None


def api(path: str) -> str:
    """The address of an API resource: `api("/projects/1")`."""
    return f"{place.get().base}/api/v4{path}"


def ssh(full_path: str) -> str:
    """The address of a repository over SSH; a port of its own needs the long form."""
    here = place.get()
    host = urlsplit(here.base).hostname or "localhost"
    if here.ssh_port == SSH_DEFAULT:
        return f"git@{host}:{full_path}.git"
    return f"ssh://git@{host}:{here.ssh_port}/{full_path}.git"
