"""Pointers: small files that stand in a repository for large ones kept elsewhere."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final

from mujina.adapters import git_history
from mujina.adapters.git_objects import database_of

LONGEST: Final = 1_024
"""No pointer has so many bytes."""
BATCH: Final = 5_000

_POINTER = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\n"
    rb"(?:ext-[^\n]*\n)*"
    rb"oid sha256:([0-9a-f]{64})\n"
    rb"size \d+\n?"
)


async def new_pointers(
    repository: Path, ids: Sequence[str], environment: Mapping[str, str]
) -> AsyncGenerator[frozenset[str]]:
    """The digests that new files of a pointer's form name, some at a time."""
    blobs: list[str] = []
    async with aclosing(git_history.small_blobs(repository, ids, LONGEST, environment)) as found:
        async for blob in found:
            blobs.append(blob)
            if len(blobs) == BATCH:
                if oids := await asyncio.to_thread(_named, repository, blobs, environment):
                    yield oids
                blobs = []
    if blobs and (oids := await asyncio.to_thread(_named, repository, blobs, environment)):
        yield oids


def _named(repository: Path, blobs: Sequence[str], environment: Mapping[str, str]) -> frozenset[str]:
    objects = database_of(repository, environment.get("GIT_OBJECT_DIRECTORY"))
    contents = (objects.read(blob)[1] for blob in blobs)
    return frozenset(found[1].decode() for content in contents if (found := _POINTER.fullmatch(content)))
