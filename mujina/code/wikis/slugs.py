"""How pages of a wiki are called: by a slug, which is the path of their file without its suffix."""

from typing import Final

from mujina.code.wikis.params import Format

BRANCH: Final = "master"
SUFFIXES: Final[dict[Format, str]] = {"markdown": ".md", "rdoc": ".rdoc", "asciidoc": ".asciidoc"}
FORMATS: Final[dict[str, Format]] = {suffix: name for name, suffix in SUFFIXES.items()}


def slug_of(title: str) -> str:
    """How a page is found: its title with dashes for spaces; slashes make folders, each of which has a name."""
    return "/".join(part for part in "-".join(title.split()).split("/") if part not in ("", "."))


def title_of(slug: str) -> str:
    return slug.replace("-", " ")


def slug_at(path: str) -> str | None:
    """The page whose file this is; None if it is no page's."""
    return next((path.removesuffix(suffix) for suffix in FORMATS if path.endswith(suffix)), None)
