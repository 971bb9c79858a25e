"""New commits and files: reachable from some ids, and from no branch or tag of the repository.

Refs of merge requests do not count: their commits may come from a fork, where other rules apply.

`environment` adds the quarantine of a push to the objects of the repository.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters.git import git

Environment = Mapping[str, str]
NOT_KNOWN: Final = ("--not", "--exclude=refs/merge-requests/*", "--exclude=refs/keep-around/*", "--all")


class NewCommit(msgspec.Struct, frozen=True):
    id: str
    author_email: str
    committer_email: str
    message: str


class NewFile(msgspec.Struct, frozen=True):
    """A file of a new commit, as that commit added or changed it."""

    path: str
    blob: str
    added: bool


NewCommits = AsyncGenerator[NewCommit]


async def new_commits(repository: Path, ids: Sequence[str], environment: Environment) -> AsyncGenerator[NewCommit]:
    """New commits, merges included."""
    fields = _log(repository, ids, environment, "-z", "--format=%H%x00%ae%x00%ce%x00%B", "--no-notes")
    async with aclosing(fields):
        async for id_ in fields:
            author, committer, message = [await anext(fields) for _ in range(3)]
            yield NewCommit(_text(id_), _text(author), _text(committer), _text(message))


async def new_files(repository: Path, ids: Sequence[str], environment: Environment) -> AsyncGenerator[NewFile]:
    """New and changed files against each parent; a renamed file counts as added."""
    flags = ("--format=", "--raw", "-z", "-r", "-m", "--root", "--no-abbrev", "--no-renames", "--diff-filter=AMT")
    fields = _log(repository, ids, environment, *flags)
    async with aclosing(fields):
        async for field in fields:
            _, _, _, blob, status = _text(field).lstrip("\n:").split(" ")
            yield NewFile(_text(await anext(fields)), blob, added=status == "A")


async def blobs_above(repository: Path, ids: Sequence[str], size: int, environment: Environment) -> frozenset[str]:
    """The new blobs that are larger than `size` bytes."""
    flags = ("--objects", f"--filter=blob:limit={size + 1}", "--filter-print-omitted", "--stdin", *NOT_KNOWN)
    pieces = git.stream(repository, "rev-list", *flags, stdin=_lines(ids), environment=environment)
    return frozenset([_text(line)[1:] async for line in git.records(pieces, b"\n") if line.startswith(b"~")])


def small_blobs(repository: Path, ids: Sequence[str], size: int, environment: Environment) -> AsyncGenerator[str]:
    """The new blobs that are smaller than `size` bytes; `ids` that are blobs are among them."""
    return _small_blobs(repository, size, "--stdin", *NOT_KNOWN, stdin=_lines(ids), environment=environment)


def all_small_blobs(repository: Path, size: int) -> AsyncGenerator[str]:
    """The blobs of the whole history of all refs that are smaller than `size` bytes."""
    return _small_blobs(repository, size, "--all")


def small_blobs_below(repository: Path, id_: str, size: int) -> AsyncGenerator[str]:
    """The blobs of a tree, or this blob itself, that are smaller than `size` bytes."""
    return _small_blobs(repository, size, "--filter-provided-objects", "--stdin", stdin=_lines([id_]))


async def _small_blobs(
    repository: Path, size: int, *which: str, stdin: bytes = b"", environment: Environment | None = None
) -> AsyncGenerator[str]:
    flags = ("--objects", "--no-object-names", f"--filter=combine:object:type=blob+blob:limit={size}", *which)
    pieces = git.stream(repository, "rev-list", *flags, stdin=stdin, environment=environment)
    async with aclosing(git.records(pieces, b"\n")) as lines:
        async for line in lines:
            yield _text(line)


async def touched_paths(repository: Path, ids: Sequence[str], environment: Environment) -> AsyncGenerator[str]:
    """Every path that a new commit adds, changes or deletes; of a merge, those that differ from both parents."""
    async with aclosing(
        _log(repository, ids, environment, "--format=", "--name-only", "-z", "-c", "--no-renames")
    ) as fields:
        async for field in fields:
            yield _text(field).lstrip("\n")


async def are_of_commits(repository: Path, ids: Sequence[str], environment: Environment) -> bool:
    """Whether each of these objects is a commit or a tag of one."""
    names = "".join(f"{id_}^{{commit}}\n" for id_ in ids).encode()
    output = await git.run(repository, "cat-file", "--batch-check=%(objecttype)", stdin=names, environment=environment)
    return all(line == b"commit" for line in output.splitlines())


async def messages(repository: Path, since: str | None, tip: str, limit: int) -> list[tuple[str, str]]:
    """Ids and messages of the commits that `tip` has and `since` lacks, newest first."""
    named = [tip] if since is None else [tip, f"^{since}"]
    output = await git.run(repository, "log", "-z", "--format=%H%n%B", f"--max-count={limit}", named=named)
    commits = [_text(record).partition("\n") for record in output.split(b"\0") if record]
    return [(id_, message) for id_, _, message in commits]


def _log(repository: Path, ids: Sequence[str], environment: Environment, *flags: str) -> AsyncGenerator[bytes]:
    pieces = git.stream(repository, "log", *flags, "--stdin", *NOT_KNOWN, stdin=_lines(ids), environment=environment)
    return git.records(pieces)


def _lines(ids: Sequence[str]) -> bytes:
    return "".join(f"{id_}\n" for id_ in ids).encode()


def _text(field: bytes) -> str:
    return field.decode("utf-8", "replace")
