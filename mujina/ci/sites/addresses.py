"""Where sites are: below a name of their namespace, or all on one port of their own. Never at the address of the pages."""

from urllib.parse import quote, urlsplit

from mujina.settings import Settings


def site_url(settings: Settings, full_path: str) -> str | None:
    """The address of the site of this project, with a slash at the end; None if this instance serves no sites."""
    if settings.pages_url is not None:
        namespace, _, rest = full_path.partition("/")
        root = urlsplit(settings.pages_url)
        below = "" if rest.lower() == f"{namespace}.{root.hostname}".lower() else f"{quote(rest)}/"
        return f"{root.scheme}://{namespace.lower()}.{root.netloc}/{below}"
    if settings.pages_port is not None:
        parts = urlsplit(settings.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"http://{host}:{settings.pages_port}/{quote(full_path)}/"
    return None


def candidate_paths(settings: Settings, host: str, path: str) -> list[str]:
    """The full paths, in lower case, of the projects whose site may have this path at this host; the longest first."""
    parts = [part for part in path.lower().split("/") if part][:MAX_DEPTH]
    below = list[str]()
    if settings.pages_url is not None:
        root = urlsplit(settings.pages_url).hostname or ""
        namespace = host.removesuffix(f".{root}")
        if namespace == host:
            return []
        below, parts = [f"{namespace}/{host}"], [namespace, *parts]
    return ["/".join(parts[:count]) for count in range(len(parts), 1, -1)] + below


MAX_DEPTH = 21
"""Parts of a path that may name a project: twenty groups and the project."""
