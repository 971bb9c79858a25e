"""Slugs of wiki pages: the path of the page's file without its suffix."""

import re
from typing import Final

from mujina.code.wikis.params import Format

BRANCH: Final = "master"
SUFFIXES: Final[dict[Format, str]] = {"markdown": ".md", "rdoc": ".rdoc", "asciidoc": ".asciidoc"}
FORMATS: Final[dict[str, Format]] = {suffix: name for name, suffix in SUFFIXES.items()}


def slug_of(title: str) -> str:
    """The title with dashes for spaces; slashes separate folders, of which none is empty."""
    return "/".join(part for part in "-".join(title.split()).split("/") if part not in ("", "."))


def title_of(slug: str) -> str:
    return slug.replace("-", " ")


def slug_at(path: str) -> str | None:
    """The slug of the page in this file; None if the file is not a page."""
    return next((path.removesuffix(suffix) for suffix in FORMATS if path.endswith(suffix)), None)


_OTHER_PAGES = re.compile(r"(?:pages|new|.*/(?:edit|history|delete))-*", re.DOTALL)
"""Slugs that read like the address of a form or list of the wiki, with any number of dashes."""


def address_of(slug: str) -> str:
    """The page in addresses, unquoted: its slug, with a dash after those that are the address of something else."""
    return f"{slug}-" if _OTHER_PAGES.fullmatch(slug) else slug


def slug_in(address: str) -> str:
    """The slug of the page that has this address: what `address_of` was called with."""
    slug = address.strip("/")
    return slug[:-1] if slug.endswith("-") and _OTHER_PAGES.fullmatch(slug) else slug
