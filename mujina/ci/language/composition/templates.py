"""The templates that a CI file may include, each a file of its own."""

from functools import cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "template_files"
_SUFFIX: Final = ".gitlab-ci.yml"


@cache
def _templates() -> dict[str, Path]:
    found = sorted(_FOLDER.rglob(f"*{_SUFFIX}"))
    return {path.relative_to(_FOLDER).as_posix(): path for path in found}


def template_names() -> list[str]:
    """The names of all templates, as `include:template` has them."""
    return list(_templates())


def read_template(name: str) -> bytes | None:
    """The template of this name; None if there is none."""
    path = _templates().get(name)
    return None if path is None else path.read_bytes()


def no_template() -> str:
    """The sentence for a name that no template has."""
    return f"The instance has the templates {', '.join(template_names())}"
