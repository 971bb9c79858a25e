"""Opens repositories in this process with libgit2, isolated from the configuration of the machine."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Odb, Repository


def opened(path: Path) -> "Repository":
    """The repository in this folder; cheap enough to open for each request."""
    pygit2 = _prepared()
    return pygit2.Repository(
        str(path), pygit2.enums.RepositoryOpenFlag.BARE | pygit2.enums.RepositoryOpenFlag.NO_SEARCH
    )


def database_of(path: Path, quarantine: str | None = None) -> "Odb":
    """The objects of the repository, with those of a push in quarantine."""
    objects = opened(path).odb
    if quarantine is not None:
        objects.add_disk_alternate(quarantine)
    return objects


@cache
def _prepared():  # noqa: ANN202 - the type of a module can be inferred, not spelled
    """libgit2 without the configuration of the machine and of the user."""
    pygit2 = deferred_imports.pygit2()
    levels = pygit2.enums.ConfigLevel
    for level in (levels.SYSTEM, levels.XDG, levels.GLOBAL, levels.PROGRAMDATA):
        pygit2.settings.search_path[level] = "/nonexistent"
    pygit2.option(pygit2.enums.Option.SET_OWNER_VALIDATION, False)
    pygit2.option(pygit2.enums.Option.ENABLE_FSYNC_GITDIR, True)
    return pygit2
