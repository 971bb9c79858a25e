"""Reading commits, trees and differences in this process, by pygit2: microseconds where a spawned git costs milliseconds.

Names a client gives are looked up as branches, tags or commit ids and nothing else: no revision syntax is understood.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mujina.adapters.git_objects import opened
from mujina.adapters.git_trees import MAX_NAME_BYTES, are_comparable
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Diff, DiffDelta, Patch, Repository

_CODES = re.compile(r"iso8859-\d+|cp\d+|koi8-[rut]|euc_\w+|gb\w+|big5\w*|shift_\w+")
"""Ways in which people wrote before all of them took UTF-8; other words after `encoding` are nobody's."""
_HEX = re.compile(r"[0-9a-fA-F]{4,40}")
_MAX_REF_BYTES = 1024
_MAX_PART_BYTES = MAX_NAME_BYTES - len(".lock")
"""Between two slashes: a part is the name of a file, and git locks the last one under a longer name."""
UTF_8 = "utf-8"
EMPTY_MODE = "0"
A_DAY = 24 * 60
LAST_SECOND = 253_402_214_400
"""A day before the year 10000: no date goes further, wherever it is told."""
MAX_DIFF_BYTES = 1_000_000
"""A longer difference of one file is left out."""
MAX_COMPARED_BYTES = 4 * 1024 * 1024
"""Bytes of a file that is compared with another."""
NO_FILE = (0, 0o160000)
"""The modes of what is not there, and of another repository."""
MAX_BLOB_BYTES = 16 * 1024 * 1024
"""Bytes of a file that are held in memory at once."""


class CommitInfo(msgspec.Struct, frozen=True):
    """A commit as it is told."""

    id: str
    parents: list[str]
    message: str
    author_name: str
    author_email: str
    authored_at: str
    committer_name: str
    committer_email: str
    committed_at: str

    @property
    def title(self) -> str:
        return self.message.partition("\n")[0]


class FileChange(msgspec.Struct, frozen=True):
    """What a difference does to one file."""

    old_path: str
    new_path: str
    a_mode: str
    b_mode: str
    new_file: bool
    renamed_file: bool
    deleted_file: bool
    diff: str


class Stats(msgspec.Struct, frozen=True):
    additions: int
    deletions: int
    total: int


def is_valid_ref(ref: str) -> bool:
    """Whether git would take this for the full name of a ref, and there is room for it in libgit2 and on disk."""
    if len(ref.encode()) >= _MAX_REF_BYTES or any(len(part.encode()) > _MAX_PART_BYTES for part in ref.split("/")):
        return False
    return deferred_imports.pygit2().reference_is_valid_name(ref)


def is_valid_branch(name: str) -> bool:
    """Whether a branch may have this name."""
    return is_valid_ref(f"refs/heads/{name}")


def is_branch(place: Path, name: str) -> bool:
    """Whether the repository has a branch of this name."""
    return is_valid_branch(name) and f"refs/heads/{name}" in opened(place).references


def has_room(repository: "Repository", ref: str) -> bool:
    """Whether no other ref lies below this one, and this one below no other: a name is a ref's or a folder's."""
    return not any(f"{other}/".startswith(f"{ref}/") or ref.startswith(f"{other}/") for other in repository.references)


def find_commit(repository: "Repository", name: str) -> "Commit | None":
    """The commit that a branch, a tag, `HEAD` or an id names."""
    pygit2 = deferred_imports.pygit2()
    refs = ["HEAD"] if name == "HEAD" else [f"refs/heads/{name}", f"refs/tags/{name}"]
    for ref in refs:
        try:
            return repository.lookup_reference(ref).peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError):
            continue
    if not _HEX.fullmatch(name):
        return None
    try:
        return repository.get(name).peel(pygit2.Commit)  # type: ignore[union-attr]
    except (AttributeError, ValueError, KeyError, pygit2.GitError):
        return None


def info(commit: "Commit") -> CommitInfo:
    author, committer, code = commit.author, commit.committer, _code(commit)
    return CommitInfo(
        str(commit.id), [str(parent) for parent in commit.parent_ids], _text(commit.raw_message, code),
        _text(author.raw_name, code), _text(author.raw_email, code), _moment(author.time, author.offset),
        _text(committer.raw_name, code), _text(committer.raw_email, code), _moment(committer.time, committer.offset),
    )  # fmt: skip


@lru_cache(4_096)
def _moment(seconds: int, offset: int) -> str:
    """With the offset of whoever wrote it; git lets people write years and offsets that no clock has."""
    zone = timezone(timedelta(minutes=offset if abs(offset) < A_DAY else 0))
    return datetime.fromtimestamp(min(max(seconds, 0), LAST_SECOND), zone).isoformat(timespec="milliseconds")


def _text(raw: bytes, code: str = UTF_8) -> str:
    """Nothing that was pushed is trusted to be text; what is none is replaced."""
    return raw.decode(code, "replace")


def _code(commit: "Commit") -> str:
    """How the commit says it is written, where that can be read."""
    try:
        return _known(commit.message_encoding or UTF_8)
    except ValueError:
        return UTF_8


@lru_cache(64)
def _known(code: str) -> str:
    try:
        found = codecs.lookup(code).name
    except LookupError:
        return UTF_8
    return found if _CODES.fullmatch(found) else UTF_8


def log(repository: "Repository", tip: str) -> Iterator[CommitInfo]:
    """The history of a commit, newest first, read no further than it is taken; `adapters/git_log.py` knows narrower ones."""
    pygit2 = deferred_imports.pygit2()
    # Any other order would make libgit2 read the whole history before it names the first commit.
    return map(info, repository.walk(pygit2.Oid(hex=tip), pygit2.enums.SortMode.NONE))


def differences(
    repository: "Repository", before: "Commit | None", after: "Commit", part: slice = slice(None)
) -> tuple[list[FileChange], int]:
    """What changed from one commit to another, file by file, or a part of that, and how many files did.

    Against nothing for a first commit.
    """
    diff = _diff(repository, before, after)
    if diff is None:
        return [], 0
    deltas = list(diff.deltas)
    told = [_file_change(deltas[n], _patch(repository, diff, n, deltas[n])) for n in range(len(deltas))[part]]
    return told, len(deltas)


def stats(repository: "Repository", commit: "Commit") -> Stats:
    diff = _diff(repository, commit.parents[0] if commit.parents else None, commit)
    patches = [_patch(repository, diff, n, delta) for n, delta in enumerate(diff.deltas)] if diff else []
    lines = [patch.line_stats for patch in patches if patch is not None]
    added, deleted = sum(line[1] for line in lines), sum(line[2] for line in lines)
    return Stats(added, deleted, added + deleted)


def _diff(repository: "Repository", before: "Commit | None", after: "Commit") -> "Diff | None":
    """None if there is too much of it."""
    pygit2 = deferred_imports.pygit2()
    if not are_comparable(before.tree if before else None, after.tree):
        return None
    # Seen from the newer tree, so that a first commit, which has none before it, is no case of its own.
    diff = after.tree.diff_to_tree(before.tree, swap=True) if before else after.tree.diff_to_tree(swap=True)
    find = pygit2.enums.DiffFind
    large = any(is_large(repository, delta) for delta in diff.deltas)
    diff.find_similar(find.FIND_RENAMES | find.FIND_EXACT_MATCH_ONLY if large else find.FIND_RENAMES)
    return diff


def _patch(repository: "Repository", diff: "Diff", n: int, delta: "DiffDelta") -> "Patch | None":
    """None for a file that is too large to be compared."""
    return None if is_large(repository, delta) else diff[n]


def is_large(repository: "Repository", delta: "DiffDelta") -> bool:
    """Whether a side of it has more bytes than are compared: nothing else of the process runs meanwhile."""
    sides = [side.id for side in (delta.old_file, delta.new_file) if side.mode not in NO_FILE]
    return any(repository.odb.read_header(id_)[1] > MAX_COMPARED_BYTES for id_ in sides)


def _file_change(delta: "DiffDelta", patch: "Patch | None") -> FileChange:
    pygit2 = deferred_imports.pygit2()
    status = delta.status
    return FileChange(
        old_path=_text(delta.old_file.raw_path),
        new_path=_text(delta.new_file.raw_path),
        a_mode=_mode(delta.old_file.mode),
        b_mode=_mode(delta.new_file.mode),
        new_file=status == pygit2.enums.DeltaStatus.ADDED,
        renamed_file=status == pygit2.enums.DeltaStatus.RENAMED,
        deleted_file=status == pygit2.enums.DeltaStatus.DELETED,
        diff="" if patch is None else _body(patch),
    )


def _mode(mode: int) -> str:
    return f"{int(mode):o}" if mode else EMPTY_MODE


def _body(patch: "Patch") -> str:
    """The patch without git's own header lines: from `---` on, as clients of this API know it."""
    raw = patch.data
    if len(raw) > MAX_DIFF_BYTES or patch.delta.is_binary:
        return ""
    text = raw.decode("utf-8", "replace")
    start = text.find("\n--- ") + 1
    return text[start:] if start else ""


def comparison(place: Path, before: str, after: str, parted: str | None) -> tuple[list[CommitInfo], list[FileChange]]:
    """Commits reachable from `after` and not from `before`, oldest first; and the changes since they parted."""
    pygit2 = deferred_imports.pygit2()
    repository = opened(place)
    old, new = pygit2.Oid(hex=before), pygit2.Oid(hex=after)
    walker = repository.walk(new, pygit2.enums.SortMode.TIME)
    walker.hide(old)
    commits = [info(commit) for commit in walker][::-1]
    base = repository[parted or old]
    return commits, differences(repository, base.peel(pygit2.Commit), repository[new].peel(pygit2.Commit))[0]


def contributors(place: Path, tip: str) -> list[tuple[str, str, int]]:
    """Everybody who wrote a commit of this history, by how many they wrote.

    Whoever has one address is one person, called as they last called themselves.
    """
    pygit2 = deferred_imports.pygit2()
    counted, called = Counter[str](), dict[str, str]()
    for commit in opened(place).walk(pygit2.Oid(hex=tip), pygit2.enums.SortMode.NONE):
        author, code = commit.author, _code(commit)
        email = _text(author.raw_email, code)
        called.setdefault(email, _text(author.raw_name, code))
        counted[email] += 1
    return sorted(((called[email], email, n) for email, n in counted.items()), key=lambda row: (-row[2], row[1]))


def refs_with(place: Path, id_: str) -> list[tuple[str, str]]:
    """Branches and tags whose history holds this commit."""
    repository = opened(place)
    return [
        ("branch" if ref.startswith("refs/heads/") else "tag", ref.split("/", 2)[2])
        for ref in sorted(repository.references)
        if ref.startswith(("refs/heads/", "refs/tags/")) and holds(repository, ref, id_)
    ]


def holds(repository: "Repository", ref: str, id_: str) -> bool:
    """Whether the history of this ref holds the commit; a tag may lead to what has none."""
    pygit2 = deferred_imports.pygit2()
    try:
        tip = repository.lookup_reference(ref).peel(pygit2.Commit).id
    except (KeyError, ValueError, pygit2.GitError):
        return False
    # Of the ways to ask this, the one that lets others go on meanwhile.
    return str(tip) == id_ or repository.ahead_behind(pygit2.Oid(hex=id_), tip)[0] == 0


def find_tag(repository: "Repository", name: str) -> tuple[str, str | None, CommitInfo] | None:
    """What the tag's ref points at, what was written into it, and the commit it leads to."""
    pygit2 = deferred_imports.pygit2()
    try:
        target = repository[repository.lookup_reference(f"refs/tags/{name}").target]
        commit = target.peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError):
        return None
    message = _text(target.raw_message).rstrip("\n") if isinstance(target, pygit2.Tag) else None
    return str(target.id), message, info(commit)


class Blob(msgspec.Struct, frozen=True):
    """The content of a file."""

    id: str
    path: str
    size: int
    data: bytes | None
    """None: it is larger than is ever held in memory, and only streamed."""


def file_at(repository: "Repository", commit_id: str, path: str) -> Blob | None:
    """The file at this path of a commit; a link is its own text, never what it leads to."""
    pygit2 = deferred_imports.pygit2()
    try:
        item = repository[commit_id].peel(pygit2.Tree)[path]
    except (KeyError, ValueError, pygit2.GitError):
        return None
    return _held(repository, str(item.id), path) if isinstance(item, pygit2.Blob) else None


def content_of(repository: "Repository", id_: str) -> Blob | None:
    """The content of this id, if it is a file's."""
    return _held(repository, id_, "") if _HEX.fullmatch(id_) else None


def _held(repository: "Repository", id_: str, path: str) -> Blob | None:
    pygit2 = deferred_imports.pygit2()
    try:
        whole = repository.expand_id(id_)
        kind, size = repository.odb.read_header(whole)
        if kind != pygit2.enums.ObjectType.BLOB:
            return None
        return Blob(str(whole), path, size, repository.odb.read(whole)[1] if size <= MAX_BLOB_BYTES else None)
    except (KeyError, ValueError, pygit2.GitError):
        return None
