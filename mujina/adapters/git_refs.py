"""Refs: read, moved all together or not at all, and compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mujina.adapters import git
from mujina.adapters.git import ZERO

MAX_NAMED_REFS: Final = 1_000
"""Refs that are asked for by name: of more, all are read, or a command could be too long to be given."""


class RefMoved(Exception):
    """A ref was no longer where the change wanted to start: nothing was done."""


async def read_refs(repository: Path, refs: Sequence[str]) -> dict[str, str]:
    """Where each of these full names points now; those that do not exist are left out."""
    if not refs:
        return {}
    wanted = set(refs)
    found = await read_below(repository, *(refs if len(refs) <= MAX_NAMED_REFS else ("refs/",)))
    return {ref: tip for ref, tip in found.items() if ref in wanted}


async def read_below(repository: Path, *folders: str) -> dict[str, str]:
    """Where every ref below these folders points, by its full name; what is no text in it comes as lone surrogates."""
    said = await git.run(repository, "for-each-ref", "--format=%(objectname) %(refname)", named=list(folders))
    return _told(said)


def _told(said: bytes) -> dict[str, str]:
    # Cut at the ends of git's lines alone: a name may hold what Unicode takes for one.
    lines = said.decode("utf-8", "surrogateescape").split("\n")
    return {ref: tip for tip, _, ref in (line.partition(" ") for line in lines if line)}


async def drop_refs(repository: Path, refs: Sequence[str]) -> None:
    """These refs are gone, by their names as `read_below` tells them."""
    said = "".join(f"delete {ref}\0\0" for ref in refs).encode("utf-8", "surrogateescape")
    await git.run(repository, "update-ref", "-z", "--stdin", stdin=said)


async def move_refs(repository: Path, changes: Sequence[tuple[str, str, str]]) -> None:
    """Each (ref, old, new) at once; `RefMoved` if one of them is not at its old place."""
    lines = [f"update {ref}\0{new}\0{old}\0" for ref, old, new in changes]
    try:
        await git.run(repository, "update-ref", "-z", "--stdin", stdin="".join(lines).encode())
    except git.GitCommandError as failure:
        raise RefMoved(failure.stderr) from None


async def set_head(repository: Path, branch: str) -> None:
    """HEAD names this branch: what a clone checks out."""
    if (repository / "HEAD").read_text().strip() != f"ref: refs/heads/{branch}":
        await git.run(repository, "symbolic-ref", "HEAD", f"refs/heads/{branch}")


async def is_ancestor(repository: Path, old: str, new: str, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a move from `old` to `new` loses nothing."""
    if ZERO in (old, new):
        return old == ZERO
    lost = await git.run(
        repository, "rev-list", "--count", "--max-count=1", old, f"^{new}", environment=environment, seconds=600
    )
    return int(lost) == 0


async def merge_base(repository: Path, one: str, other: str) -> str | None:
    """The commit at which two histories parted; None if they have nothing in common."""
    said = await git.run(repository, "merge-base", one, other, seconds=600, accept=(0, 1))
    return said.decode().strip() or None
