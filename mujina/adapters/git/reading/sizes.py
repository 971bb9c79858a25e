"""Sizes of the files of a tree."""

from pathlib import Path

from mujina.adapters.git import git

FILES = (b"100644", b"100755")
"""Symbolic links and submodules have no language."""


async def file_sizes(repository: Path, ref: str) -> list[tuple[str, int]]:
    """Path and size of every file of a ref's tree that is not lost."""
    found: list[tuple[str, int]] = []
    listing = git.stream(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", ref)
    async for record in git.records(listing):
        facts, _, path = record.partition(b"\t")
        mode, _, _, size = facts.split()
        if mode in FILES and size.isdigit():
            found.append((path.decode("utf-8", "replace"), int(size)))
    return found
