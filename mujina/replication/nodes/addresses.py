"""The address of a node: http or https and a host, with a slash at the end."""

from urllib.parse import urlsplit

from mujina.kernel.errors import INVALID, Problems

MAX_LENGTH = 255


def read_url(problems: Problems, text: str) -> str:
    """The address as it is stored; what is wrong with it is added to `problems`."""
    url = text.strip()
    problems.require("url", url, MAX_LENGTH)
    if not problems:
        _check(problems, url)
    return url.rstrip("/") + "/"


def redirect_uri(url: str) -> str:
    """Where the primary sends users back to who sign in to the node at this address."""
    return f"{url}oauth/geo/callback"


def _check(problems: Problems, url: str) -> None:
    try:
        parts = urlsplit(url)
        unusable = not parts.hostname or parts.port == 0
    except ValueError:
        problems.add("url", INVALID)
        return
    if parts.scheme not in ("http", "https"):
        problems.add("url", "scheme must be http or https")
    elif unusable or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc or not _plain(url):
        problems.add("url", INVALID)


def _plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and not any(letter in url for letter in ' "<>\\^`{|}')
