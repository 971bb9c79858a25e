"""Where things are, seen from outside. The door sets the base for its request; jobs set the configured one."""

from contextvars import ContextVar
from urllib.parse import quote

base: ContextVar[str] = ContextVar("base", default="http://localhost")


def web(path: str) -> str:
    """The address of a page: `web("/group/project")`."""
    return base.get() + quote(path, safe="/-._~!$&'()*+,;=:@")


def api(path: str) -> str:
    """The address of an API resource: `api("/projects/1")`."""
    return f"{base.get()}/api/v4{path}"
