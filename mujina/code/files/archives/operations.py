"""Archives of the files of a commit."""

import asyncio
import bz2
import zlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Final, Protocol

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.reading import pointers
from mujina.adapters.git.reading.trees import tree_path
from mujina.code.commits.operations import ResolvedCommit
from mujina.code.files.archives.members import FILE, ArchiveMember, Pieces, as_tar, gathered, read_members
from mujina.code.files.archives.zips import as_zip
from mujina.code.files.operations import entry_at
from mujina.code.lfs import operations as lfs
from mujina.kernel import errors
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import missing_file
from mujina.kernel.storage.files import one_piece
from mujina.kernel.storage.opening import open_file


class ArchiveFormat(msgspec.Struct, frozen=True):
    """The file suffix, which is git's name of the format, and the content type."""

    suffix: str
    content_type: str


_GZIP = ArchiveFormat("tar.gz", "application/gzip")
_BZIP2 = ArchiveFormat("tar.bz2", "application/x-bzip2")
_ZIP = ArchiveFormat("zip", "application/zip")
ARCHIVE_FORMATS = {
    **dict.fromkeys(("tar.gz", "tgz", "gz"), _GZIP),
    "tar": ArchiveFormat("tar", "application/x-tar"),
    **dict.fromkeys(("tar.bz2", "tbz", "tbz2", "tb2", "bz2"), _BZIP2),
    "zip": _ZIP,
}


class ArchivePart(msgspec.Struct, frozen=True):
    """The part of a tree that an archive has."""

    path: str = ""
    """The file or folder; empty: everything."""
    without: Sequence[str] = ()
    """Files and folders that it leaves out."""

    @property
    def patterns(self) -> list[str]:
        """The part as git's patterns of paths, in which no letter has a meaning."""
        chosen = [f":(literal){tree_path(self.path)}"] if tree_path(self.path) else []
        # Git refuses a path that leads out of the tree; no tree has one, so there is nothing to leave out.
        left_out = [path for each in self.without if (path := tree_path(each)) and ".." not in path.split("/")]
        return chosen + [f":(exclude,literal){path}" for path in left_out]


class RepositoryArchive(msgspec.Struct, frozen=True):
    """What an archive is made of."""

    found: ResolvedCommit
    format: ArchiveFormat
    name: str
    """The folder that it has everything in."""
    part: ArchivePart


WHOLE: Final = ArchivePart()
_WITH_PATTERNS: Final = {"GIT_LITERAL_PATHSPECS": "0"}
"""Else git would take what a pattern begins with for a part of the path."""


def check_part(found: ResolvedCommit, part: ArchivePart) -> None:
    """404 if the commit has no such file or folder."""
    errors.or_not_found(entry_at(found, part.path), "File")


async def find_objects(
    services: Services, project_id: int, found: ResolvedCommit, part: ArchivePart
) -> dict[str, lfs.StoredObject]:
    """The LFS objects of the project to which files in this part of a commit point, by their digests.

    A secondary that lacks one lets the primary answer.
    """
    async with services.database.reading() as tx:
        used = await lfs.is_used(tx, project_id)
    entry = entry_at(found, part.path)
    if not used or entry is None or entry.type == "commit":
        return {}
    objects = await _objects_below(services, project_id, found, entry.id)
    if services.secondary is not None:
        for stored in objects.values():
            await (await _open(services, stored)).aclose()
    return objects


async def _objects_below(
    services: Services, project_id: int, found: ResolvedCommit, id_: str
) -> dict[str, lfs.StoredObject]:
    objects: dict[str, lfs.StoredObject] = {}
    async with aclosing(pointers.pointers_below(found.code.repo_path, id_)) as batches:
        async for digests in batches:
            async with services.database.reading() as tx:
                objects |= await lfs.find_all(tx, project_id, list(digests))
    return objects


async def _open(services: Services, stored: lfs.StoredObject) -> Pieces:
    return await open_file(services, stored.file, errors.not_found("File"))


async def begin(services: Services, archive: RepositoryArchive, objects: Mapping[str, lfs.StoredObject]) -> Pieces:
    """The archive, with these LFS objects, in pieces; a repository from which none can be written raises its error here."""
    return await git.begun(_write_with_objects(services, archive, objects) if objects else _write(archive))


async def _write(archive: RepositoryArchive) -> Pieces:
    """The tree of a commit as an archive, in pieces; git writes symbolic links as links and follows none."""
    bzip2 = archive.format is _BZIP2
    running = _run_git(archive, "tar" if bzip2 else archive.format.suffix)
    async with aclosing(_compressed(running, bz2.BZ2Compressor()) if bzip2 else running) as pieces:
        async for piece in pieces:
            yield piece


async def _write_with_objects(
    services: Services, archive: RepositoryArchive, objects: Mapping[str, lfs.StoredObject]
) -> Pieces:
    """The tree of a commit as an archive, with these LFS objects in place of the pointers to them."""
    members = _with_objects(services, read_members(_run_git(archive, "tar")), objects)
    written = gathered(as_zip(members, archive.found.id) if archive.format is _ZIP else as_tar(members))
    if archive.format is _BZIP2:
        written = _compressed(written, bz2.BZ2Compressor())
    elif archive.format is _GZIP:
        written = _compressed(written, zlib.compressobj(wbits=16 + zlib.MAX_WBITS))
    async with aclosing(written) as pieces:
        async for piece in pieces:
            yield piece


def _run_git(archive: RepositoryArchive, format: str) -> Pieces:
    flags = (f"--format={format}", f"--prefix={archive.name}/")
    named = [archive.found.id, *archive.part.patterns]
    return git.stream(archive.found.code.repo_path, "archive", *flags, named=named, environment=_WITH_PATTERNS)


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


async def _compressed(pieces: Pieces, compressor: _Compressor) -> Pieces:
    async with aclosing(pieces):
        async for piece in pieces:
            yield await asyncio.to_thread(compressor.compress, piece)
    yield await asyncio.to_thread(compressor.flush)


async def _with_objects(
    services: Services, members: AsyncGenerator[ArchiveMember], objects: Mapping[str, lfs.StoredObject]
) -> AsyncGenerator[ArchiveMember]:
    async with aclosing(members):
        async for member in members:
            if member.kind != FILE or member.size >= pointers.MAX_POINTER_BYTES:
                yield member
                continue
            data = b"".join([piece async for piece in member.content])
            pointer = pointers.read_pointer(data)
            if pointer is not None and (stored := objects.get(pointer[0])) is not None:
                yield member.containing(_read(services, stored), stored.size)
            else:
                yield member.containing(one_piece(data), len(data))


async def _read(services: Services, stored: lfs.StoredObject) -> Pieces:
    """The content of an object; an archive that promised more or less of it breaks off."""
    size = 0
    async with aclosing(await _open(services, stored)) as pieces:
        async for piece in pieces:
            size += len(piece)
            yield piece
    if size != stored.size:
        raise missing_file(stored.file)
