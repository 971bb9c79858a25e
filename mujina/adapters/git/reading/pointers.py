"""LFS pointers: small files that refer to LFS objects."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final

from mujina.adapters.git.objects import database_of
from mujina.adapters.git.reading import history
from mujina.kernel import deferred_imports

MAX_POINTER_BYTES: Final = 1_024
"""Every pointer is smaller."""
BATCH: Final = 5_000
MAX_INDEX_BYTES: Final = 4 * 1024 * 1024
"""Some hundred thousand objects; larger indexes are not read into memory."""

_POINTER = re.compile(
    rb"version https://(?:git-lfs|hawser)\.github\.com/spec/v1\n"
    rb"(?:ext-[^\n]*\n)*"
    rb"oid sha256:([0-9a-f]{64})\n"
    rb"size (\d{1,18})\n?"
)


def read_pointer(data: bytes) -> tuple[str, int] | None:
    """Digest and size of the LFS object that a pointer refers to; None for any other file."""
    found = _POINTER.fullmatch(data) if len(data) < MAX_POINTER_BYTES else None
    return None if found is None else (found[1].decode(), int(found[2]))


async def new_pointers(
    repository: Path, ids: Sequence[str], environment: Mapping[str, str]
) -> AsyncGenerator[frozenset[str]]:
    """The digests in new pointers, in batches."""
    sent = environment.get("GIT_OBJECT_DIRECTORY")
    if sent is not None and await asyncio.to_thread(_has_no_pointer, sent):
        return
    blobs = history.small_blobs(repository, ids, MAX_POINTER_BYTES, environment)
    async with aclosing(_read_batches(repository, blobs, environment)) as batches:
        async for found in batches:
            yield frozenset(found)


async def all_pointers(repository: Path) -> AsyncGenerator[dict[str, int]]:
    """The digests in pointers of the whole history, each with the size of its object, in batches."""
    blobs = history.all_small_blobs(repository, MAX_POINTER_BYTES)
    async with aclosing(_read_batches(repository, blobs, {})) as batches:
        async for found in batches:
            yield found


async def pointers_below(repository: Path, id_: str) -> AsyncGenerator[dict[str, int]]:
    """The digests in pointers of a tree, or in this blob, each with the size of its object, in batches."""
    blobs = history.small_blobs_below(repository, id_, MAX_POINTER_BYTES)
    async with aclosing(_read_batches(repository, blobs, {})) as batches:
        async for found in batches:
            yield found


async def _read_batches(
    repository: Path, found: AsyncGenerator[str], environment: Mapping[str, str]
) -> AsyncGenerator[dict[str, int]]:
    """The digests and sizes in those of these blobs that are pointers; batches without any are left out."""
    blobs: list[str] = []
    async with aclosing(found):
        async for blob in found:
            blobs.append(blob)
            if len(blobs) == BATCH:
                if read := await asyncio.to_thread(_read_all, repository, blobs, environment):
                    yield read
                blobs = []
    if blobs and (read := await asyncio.to_thread(_read_all, repository, blobs, environment)):
        yield read


def _has_no_pointer(quarantine: str) -> bool:
    """Whether no object of a push is a pointer: checked by a scan of the quarantine, without walking the history."""
    pygit2 = deferred_imports.pygit2()
    if sum(index.stat().st_size for index in Path(quarantine).glob("pack/*.idx")) > MAX_INDEX_BYTES:
        return False
    objects = pygit2.Odb(quarantine)
    for id_ in objects:
        kind, size = objects.read_header(id_)
        if (
            kind == pygit2.enums.ObjectType.BLOB
            and size < MAX_POINTER_BYTES
            and _POINTER.fullmatch(objects.read(id_)[1])
        ):
            return False
    return True


def _read_all(repository: Path, blobs: Sequence[str], environment: Mapping[str, str]) -> dict[str, int]:
    objects = database_of(repository, environment.get("GIT_OBJECT_DIRECTORY"))
    return dict(found for blob in blobs if (found := read_pointer(objects.read(blob)[1])))
