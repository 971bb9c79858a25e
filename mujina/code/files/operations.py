"""Trees, files and archives, as a commit has them."""

import asyncio
import bz2
from collections.abc import AsyncGenerator

import msgspec

from mujina.adapters import git, git_log, git_reading, git_trees
from mujina.adapters.git_log import History
from mujina.adapters.git_reading import Blob
from mujina.adapters.git_trees import Entry, TreeTooLarge, tree_path
from mujina.code.commits.operations import Code, Found
from mujina.kernel import errors


class Archived(msgspec.Struct, frozen=True):
    """How an archive is called and made."""

    suffix: str
    format: str
    kind: str


ARCHIVES = {
    "tar.gz": Archived("tar.gz", "tar.gz", "application/gzip"),
    "tgz": Archived("tar.gz", "tar.gz", "application/gzip"),
    "gz": Archived("tar.gz", "tar.gz", "application/gzip"),
    "tar": Archived("tar", "tar", "application/x-tar"),
    "tar.bz2": Archived("tar.bz2", "tar.bz2", "application/x-bzip2"),
    "tbz": Archived("tar.bz2", "tar.bz2", "application/x-bzip2"),
    "tbz2": Archived("tar.bz2", "tar.bz2", "application/x-bzip2"),
    "tb2": Archived("tar.bz2", "tar.bz2", "application/x-bzip2"),
    "bz2": Archived("tar.bz2", "tar.bz2", "application/x-bzip2"),
    "zip": Archived("zip", "zip", "application/zip"),
}


async def tree(found: Found, path: str, *, recursive: bool, offset: int, limit: int) -> tuple[list[Entry], int]:
    """One page of the tree at this path, and how long it is; nothing where there is none."""

    def read() -> tuple[list[Entry], int]:
        commit = git_reading.find_commit(found.code.repository, found.id)
        assert commit is not None
        return git_trees.entries(commit, tree_path(path), recursive=recursive, offset=offset, limit=limit)

    try:
        return await asyncio.to_thread(read) if recursive else read()
    except TreeTooLarge as unwieldy:
        raise errors.bad_request(str(unwieldy)) from None


def blob(found: Found, path: str) -> Blob:
    """The file at this path of the commit; 404 if there is none."""
    file = git_reading.file_at(found.code.repository, found.id, tree_path(path))
    if file is None:
        raise errors.not_found("File")
    return file


def blob_by_id(found: Found, id_: str) -> Blob:
    """The content of this id; 404 if there is none."""
    content = git_reading.content_of(found.code.repository, id_)
    if content is None:
        raise errors.not_found("Blob")
    return content


def pieces(code: Code, blob: Blob) -> AsyncGenerator[bytes]:
    """A content that is too large to be held, piece by piece."""
    return git.stream(code.place, "cat-file", "blob", blob.id)


async def last_commit_of(found: Found, path: str) -> str:
    """The newest commit that touched the file."""
    return await git_log.latest(History(found.code.place, found.id, tree_path(path))) or found.id


async def archive(found: Found, form: Archived, prefix: str) -> AsyncGenerator[bytes]:
    """The tree of a commit as one file, piece by piece; git makes it, links and all, without following any."""
    smaller = bz2.BZ2Compressor() if form.format == "tar.bz2" else None
    flags = [f"--format={'tar' if smaller else form.format}", f"--prefix={prefix}/"]
    async for piece in git.stream(found.code.place, "archive", *flags, named=[found.id]):
        yield piece if smaller is None else await asyncio.to_thread(smaller.compress, piece)
    if smaller is not None:
        yield smaller.flush()
