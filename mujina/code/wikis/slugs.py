"""Slugs of wiki pages: the path of the page's file without its suffix."""

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
