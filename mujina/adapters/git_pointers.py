"""Pointers: small files that stand in a repository for large ones kept elsewhere."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final

from mujina.adapters import git_history
from mujina.adapters.git_objects import database_of
from mujina.kernel import deferred_imports

MAX_LENGTH: Final = 1_024
"""No pointer has so many bytes."""
BATCH: Final = 5_000
MAX_INDEX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of index: some hundred thousand objects. Of more, no list is made in memory."""

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
    sent = environment.get("GIT_OBJECT_DIRECTORY")
    if sent is not None and await asyncio.to_thread(_has_none, sent):
        return
    blobs: list[str] = []
    async with aclosing(git_history.small_blobs(repository, ids, MAX_LENGTH, environment)) as found:
        async for blob in found:
            blobs.append(blob)
            if len(blobs) == BATCH:
                if oids := await asyncio.to_thread(_named, repository, blobs, environment):
                    yield oids
                blobs = []
    if blobs and (oids := await asyncio.to_thread(_named, repository, blobs, environment)):
        yield oids


def _has_none(quarantine: str) -> bool:
    """Whether no object of a push is a pointer: seen in a glance at the objects, without a walk to where they belong."""
    pygit2 = deferred_imports.pygit2()
    if sum(index.stat().st_size for index in Path(quarantine).glob("pack/*.idx")) > MAX_INDEX_BYTES:
        return False
    objects = pygit2.Odb(quarantine)
    for id_ in objects:
        kind, size = objects.read_header(id_)
        if kind == pygit2.enums.ObjectType.BLOB and size < MAX_LENGTH and _POINTER.fullmatch(objects.read(id_)[1]):
            return False
    return True


def _named(repository: Path, blobs: Sequence[str], environment: Mapping[str, str]) -> frozenset[str]:
    objects = database_of(repository, environment.get("GIT_OBJECT_DIRECTORY"))
    contents = (objects.read(blob)[1] for blob in blobs)
    return frozenset(found[1].decode() for content in contents if (found := _POINTER.fullmatch(content)))
