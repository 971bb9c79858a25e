"""Refs: read, move atomically, compare."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from mujina.adapters.git import git
from mujina.adapters.git.git import ZERO
from mujina.adapters.git.objects import opened
from mujina.kernel import deferred_imports
from mujina.kernel.storage.fsync import folders_above, fsync_folders

MAX_NAMED_REFS: Final = 1_000
"""If more refs are named, all are read, because the command line would be too long."""


class RefMoved(Exception):
    """A ref was not at its expected old object: nothing was changed."""


async def read_refs(repository: Path, refs: Sequence[str]) -> dict[str, str]:
    """The objects of these refs, by full name; refs that do not exist are left out."""
    if not refs:
        return {}
    wanted = set(refs)
    found = await read_below(repository, *(refs if len(refs) <= MAX_NAMED_REFS else ("refs/",)))
    return {ref: tip for ref, tip in found.items() if ref in wanted}


async def read_below(repository: Path, *folders: str) -> dict[str, str]:
    """The objects of all refs below these folders, by full name; bytes that are not UTF-8 become lone surrogates."""
    return parse_refs(
        await git.run(repository, "for-each-ref", "--format=%(objectname)%09%(refname)", named=list(folders))
    )


def parse_refs(output: bytes) -> dict[str, str]:
    """The objects of refs by full name, from lines with both and a tab between them."""
    # Split at newlines only: a name may contain other characters that Unicode counts as line breaks.
    lines = output.decode("utf-8", "surrogateescape").split("\n")
    return {ref: tip for tip, _, ref in (line.partition("\t") for line in lines if line)}


async def refs_about(repository: Path, folders: Sequence[str], commit: str, *, containing: bool) -> list[str]:
    """The refs below the folders whose history contains the commit, or those whose history does not, by name."""
    option = f"--contains={commit}" if containing else f"--no-contains={commit}"
    output = await git.run(repository, "for-each-ref", option, "--format=%(refname)", named=folders, seconds=60)
    return [ref for ref in output.decode("utf-8", "surrogateescape").split("\n") if ref]


async def newest_tag(repository: Path) -> str | None:
    """The tag that was made last, by its own time or else by that of its commit; of several the last by name."""
    order = ("--sort=-refname", "--sort=-creatordate", "--count=1")
    output = await git.run(repository, "for-each-ref", *order, "--format=%(refname:lstrip=2)", named=["refs/tags/"])
    return output.decode("utf-8", "replace").removesuffix("\n") or None


async def drop_refs(repository: Path, refs: Sequence[str]) -> None:
    """Delete these refs, named as by `read_below`, durably."""
    commands = "".join(f"delete {ref}\0\0" for ref in refs).encode("utf-8", "surrogateescape")
    await _update(repository, commands)
    await sync_refs(repository, refs)


async def move_refs(repository: Path, changes: Sequence[tuple[str, str, str]], share: Sequence[int] = ()) -> None:
    """Move each (ref, old, new) in one transaction; `RefMoved` if one is not at its old object.

    Git inherits the open files `share`. The moves survive a power cut after `sync_refs`.
    """
    lines = [f"update {ref}\0{new}\0{old}\0" for ref, old, new in changes]
    try:
        await _update(repository, "".join(lines).encode(), share)
    except git.GitCommandError as failure:
        raise RefMoved(failure.stderr) from None


async def _update(repository: Path, commands: bytes, share: Sequence[int] = ()) -> None:
    async with git.explained(repository):
        await git.run(repository, "update-ref", "-z", "--stdin", stdin=commands, share=share)


async def set_head(repository: Path, branch: str) -> None:
    """HEAD names this branch, durably: what a clone checks out."""
    if (repository / "HEAD").read_text().strip() != f"ref: refs/heads/{branch}":
        await asyncio.to_thread(_set_head, repository, branch)


def _set_head(repository: Path, branch: str) -> None:
    # Not `git symbolic-ref`: it renames a file that is not synced, and a power cut leaves an empty HEAD.
    try:
        opened(repository).set_head(f"refs/heads/{branch}")
    except (deferred_imports.pygit2().GitError, ValueError) as error:
        raise git.GitCommandError("symbolic-ref", 1, str(error)) from error


async def sync_refs(repository: Path, refs: Iterable[str]) -> None:
    """Wait until these refs, which git moved or deleted, survive a power cut: git syncs files, not their names."""
    names = (folder for ref in refs for folder in folders_above(repository / ref, repository / "refs"))
    # The objects of a push are in a pack; a deletion rewrites `packed-refs`, which is in the folder above `refs`.
    await asyncio.to_thread(fsync_folders, chain([repository / "objects" / "pack"], names))


async def is_ancestor(repository: Path, old: str, new: str, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a move from `old` to `new` loses no commit."""
    if ZERO in (old, new):
        return old == ZERO
    lost = await git.run(
        repository, "rev-list", "--count", "--max-count=1", old, f"^{new}", environment=environment, seconds=600
    )
    return int(lost) == 0


async def merge_base(repository: Path, one: str, *others: str) -> str | None:
    """The best common ancestor of the first commit and of a merge of the others; None if there is none."""
    output = await git.run(repository, "merge-base", one, *others, seconds=600, accept=(0, 1))
    return output.decode().strip() or None


async def set_refs(repository: Path, refs: Mapping[str, str]) -> None:
    """Put each of these refs at its object, wherever it was before, durably."""
    if refs:
        commands = "".join(f"update {ref}\0{tip}\0\0" for ref, tip in refs.items())
        await _update(repository, commands.encode())
        await sync_refs(repository, refs)
