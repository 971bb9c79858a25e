"""Texts to begin a file with: ours, and those of licenses, each a file of its own."""

from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

TemplateType = Literal["dockerfiles", "gitignores", "gitlab_ci_ymls", "licenses"]
_FOLDER: Final = Path(__file__).parent / "texts"


class _Type(NamedTuple):
    title: str
    suffix: str
    """The end of the names of its files here."""
    file_name: str
    """The name that a file made from it has in a repository."""


TYPES: Final[dict[TemplateType, _Type]] = {
    "licenses": _Type("License", ".txt", "LICENSE"),
    "gitignores": _Type("Files to ignore", ".gitignore", ".gitignore"),
    "gitlab_ci_ymls": _Type("CI file", ".gitlab-ci.yml", ".gitlab-ci.yml"),
    "dockerfiles": _Type("Dockerfile", ".Dockerfile", "Dockerfile"),
}


@cache
def _paths(kind: TemplateType) -> dict[str, Path]:
    """The files of a type by their keys."""
    folder, suffix = _FOLDER / kind, TYPES[kind].suffix
    found = {path.relative_to(folder).as_posix().removesuffix(suffix): path for path in folder.rglob(f"*{suffix}")}
    return dict(sorted(found.items(), key=lambda each: each[0].casefold()))


def template_keys(kind: TemplateType) -> list[str]:
    """The keys of all templates of a type, in the order of the alphabet."""
    return list(_paths(kind))


def read_template(kind: TemplateType, key: str) -> bytes | None:
    """The text of a template; None if there is none. Case does not matter."""
    paths = _paths(kind)
    found = key if key in paths else next((each for each in paths if each.casefold() == key.casefold()), None)
    return None if found is None else paths[found].read_bytes()
