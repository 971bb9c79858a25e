"""Reads commits, trees and differences in this process with pygit2: microseconds where a git process takes milliseconds.

Names of clients are looked up as branches, tags or commit ids; revision syntax is not supported.
"""

import codecs
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mujina.adapters.git.objects import commit_of, commit_of_ref, opened
from mujina.adapters.git.reading.trees import MAX_NAME_BYTES, are_comparable, item_at
from mujina.kernel import deferred_imports
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.kernel.text.encodings import decode_patch

if TYPE_CHECKING:
    from pygit2 import Commit, Diff, DiffDelta, Patch, Repository

_ENCODINGS = deferred_pattern(r"iso8859-\d+|cp\d+|koi8-[rut]|euc_\w+|gb\w+|big5\w*|shift_\w+")
"""Legacy encodings of commits; other values of the `encoding` header are ignored."""
_HEX = deferred_pattern(r"[0-9a-fA-F]{4,40}")
_MAX_REF_BYTES = 1024
_MAX_PART_BYTES = MAX_NAME_BYTES - len(".lock")
"""The bytes between two slashes: a part is a file name, and git appends `.lock` to it."""
UTF_8 = "utf-8"
EMPTY_MODE = "0"
A_DAY = 24 * 60
LAST_SECOND = 253_402_214_400
"""A day before the year 10000, the limit of dates in any time zone."""
MAX_DIFF_BYTES = 1_000_000
"""A longer diff of a file is left out."""
MAX_COMPARED_BYTES = 4 * 1024 * 1024
"""Larger files are not compared."""
NO_FILE = (0, 0o160000)
"""The modes of a missing file and of a submodule."""
MAX_BLOB_BYTES = 16 * 1024 * 1024
"""Larger blobs are only streamed."""


class CommitInfo(msgspec.Struct, frozen=True):
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
        """The first line, without the carriage return of a line that ends in two characters."""
        return self.message.partition("\n")[0].rstrip("\r")


class FileChange(msgspec.Struct, frozen=True):
    """The change of one file."""

    old_path: str
    new_path: str
    a_mode: str
    b_mode: str
    new_file: bool
    renamed_file: bool
    deleted_file: bool
    diff: str
    too_large: bool
    """Whether that is why the text is missing."""
    collapsed: bool = False
    generated_file: bool = False


class Stats(msgspec.Struct, frozen=True):
    additions: int
    deletions: int
    total: int


def is_valid_ref(ref: str) -> bool:
    """Whether this is a valid full name of a ref, short enough for libgit2 and the file system."""
    if len(ref.encode()) >= _MAX_REF_BYTES or any(len(part.encode()) > _MAX_PART_BYTES for part in ref.split("/")):
        return False
    return deferred_imports.pygit2().reference_is_valid_name(ref)


def is_valid_branch(name: str) -> bool:
    """Whether a branch may have this name."""
    return is_valid_ref(f"refs/heads/{name}")


def is_branch(repository: "Repository", name: str) -> bool:
    """Whether the repository has a branch of this name."""
    return is_valid_branch(name) and f"refs/heads/{name}" in repository.references


def has_room(repository: "Repository", ref: str) -> bool:
    """Whether no ref collides with this name: `a` excludes `a/b`, and the other way round."""
    return not any(f"{other}/".startswith(f"{ref}/") or ref.startswith(f"{other}/") for other in repository.references)


def find_commit(repository: "Repository", name: str) -> "Commit | None":
    """The commit of a branch, a tag, `HEAD` or an id."""
    refs = ["HEAD"] if name == "HEAD" else [f"refs/heads/{name}", f"refs/tags/{name}"]
    found = next((commit for ref in refs if (commit := commit_of_ref(repository, ref)) is not None), None)
    return found or find_commit_by_id(repository, name)


def find_commit_by_id(repository: "Repository", name: str) -> "Commit | None":
    """The commit of an id, which may be shortened."""
    pygit2 = deferred_imports.pygit2()
    if not _HEX.fullmatch(name):
        return None
    try:
        return repository.get(name).peel(pygit2.Commit)  # type: ignore[union-attr]
    except (AttributeError, ValueError, KeyError, pygit2.GitError):
        return None


def info(commit: "Commit") -> CommitInfo:
    author, committer, code = commit.author, commit.committer, _code(commit)
    return CommitInfo(
        id=str(commit.id), parents=[str(parent) for parent in commit.parent_ids],
        message=_text(commit.raw_message, code), author_name=_text(author.raw_name, code),
        author_email=_text(author.raw_email, code), authored_at=_moment(author.time, author.offset),
        committer_name=_text(committer.raw_name, code), committer_email=_text(committer.raw_email, code),
        committed_at=_moment(committer.time, committer.offset),
    )  # fmt: skip


@lru_cache(4_096)
def _moment(seconds: int, offset: int) -> str:
    """The time with the offset of the author; git accepts years and offsets that do not exist."""
    zone = timezone(timedelta(minutes=offset if abs(offset) < A_DAY else 0))
    return datetime.fromtimestamp(min(max(seconds, 0), LAST_SECOND), zone).isoformat(timespec="milliseconds")


def _text(raw: bytes, code: str = UTF_8) -> str:
    """Pushed data may not be text: undecodable bytes are replaced."""
    return raw.decode(code, "replace")


def _code(commit: "Commit") -> str:
    """The declared encoding of the commit, if it is a known one."""
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
    return found if _ENCODINGS.fullmatch(found) else UTF_8


def log(repository: "Repository", tip: str) -> Iterator[CommitInfo]:
    """The history of a commit, newest first, read lazily; `adapters/git/reading/log.py` filters."""
    pygit2 = deferred_imports.pygit2()
    # Any other order would make libgit2 read the whole history first.
    return map(info, repository.walk(pygit2.Oid(hex=tip), pygit2.enums.SortMode.NONE))


def differences(
    repository: "Repository", before: "Commit | None", after: "Commit", part: slice = slice(None)
) -> tuple[list[FileChange], int]:
    """The changed files between two commits, or a part of them, and their number; all files for a first commit."""
    diff = diff_of(repository, before, after)
    if diff is None:
        return [], 0
    deltas = list(diff.deltas)
    changes = [file_change(deltas[n], patch_of(repository, diff, n, deltas[n])) for n in range(len(deltas))[part]]
    return changes, len(deltas)


def stats(repository: "Repository", commit: "Commit") -> Stats:
    diff = diff_of(repository, commit.parents[0] if commit.parents else None, commit)
    patches = [patch_of(repository, diff, n, delta) for n, delta in enumerate(diff.deltas)] if diff else []
    lines = [patch.line_stats for patch in patches if patch is not None]
    added, deleted = sum(line[1] for line in lines), sum(line[2] for line in lines)
    return Stats(added, deleted, added + deleted)


def diff_of(
    repository: "Repository", before: "Commit | None", after: "Commit", *, spaces: bool = True
) -> "Diff | None":
    """None if the trees differ too much. `spaces`: whether a change of white space alone counts."""
    pygit2 = deferred_imports.pygit2()
    flags = pygit2.enums.DiffOption.NORMAL if spaces else pygit2.enums.DiffOption.IGNORE_WHITESPACE
    if not are_comparable(before.tree if before else None, after.tree):
        return None
    # Diffed from the newer tree, so that a first commit needs no special case.
    if before:
        diff = after.tree.diff_to_tree(before.tree, flags=flags, swap=True)
    else:
        diff = after.tree.diff_to_tree(flags=flags, swap=True)
    find = pygit2.enums.DiffFind
    large = any(is_large(repository, delta) for delta in diff.deltas)
    diff.find_similar(find.FIND_RENAMES | find.FIND_EXACT_MATCH_ONLY if large else find.FIND_RENAMES)
    return diff


def diff_between(repository: "Repository", base: str | None, head: str, *, spaces: bool = True) -> "Diff | None":
    """The difference of two commits that exist, as `diff_of` has it; without a base, all files of a first commit."""
    before = None if base is None else commit_of(repository, base)
    return diff_of(repository, before, commit_of(repository, head), spaces=spaces)


def patch_of(repository: "Repository", diff: "Diff", n: int, delta: "DiffDelta") -> "Patch | None":
    """None for a file that is too large to be compared."""
    return None if is_large(repository, delta) else diff[n]


def is_large(repository: "Repository", delta: "DiffDelta") -> bool:
    """Whether one side is too large to be compared: a comparison blocks the process."""
    sides = [side.id for side in (delta.old_file, delta.new_file) if side.mode not in NO_FILE]
    return any(repository.odb.read_header(id_)[1] > MAX_COMPARED_BYTES for id_ in sides)


def file_change(delta: "DiffDelta", patch: "Patch | None") -> FileChange:
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
        too_large=patch is None,
    )


def _mode(mode: int) -> str:
    return f"{int(mode):o}" if mode else EMPTY_MODE


def _body(patch: "Patch") -> str:
    """The patch from `---` on, without git's header lines, as the API has it."""
    raw = patch.data
    if len(raw) > MAX_DIFF_BYTES or patch.delta.is_binary:
        return ""
    text = decode_patch(raw)
    start = text.find("\n--- ") + 1
    return text[start:] if start else ""


def comparison(
    repo_path: Path, before: str, after: str, base_id: str | None
) -> tuple[list[CommitInfo], list[FileChange]]:
    """Commits reachable from `after` and not from `before`, oldest first; and the changes since the merge base."""
    pygit2 = deferred_imports.pygit2()
    repository = opened(repo_path)
    old, new = pygit2.Oid(hex=before), pygit2.Oid(hex=after)
    walker = repository.walk(new, pygit2.enums.SortMode.TIME)
    walker.hide(old)
    commits = [info(commit) for commit in walker][::-1]
    return commits, differences(repository, commit_of(repository, base_id or before), commit_of(repository, after))[0]


def contributors(repo_path: Path, tip: str) -> list[tuple[str, str, int]]:
    """The authors of a history with the number of their commits, the most active first.

    An email is one author, with the name of the newest commit.
    """
    pygit2 = deferred_imports.pygit2()
    counted, names = Counter[str](), dict[str, str]()
    for commit in opened(repo_path).walk(pygit2.Oid(hex=tip), pygit2.enums.SortMode.NONE):
        author, code = commit.author, _code(commit)
        email = _text(author.raw_email, code)
        names.setdefault(email, _text(author.raw_name, code))
        counted[email] += 1
    return sorted(((names[email], email, n) for email, n in counted.items()), key=lambda row: (-row[2], row[1]))


def holds(repository: "Repository", ref: str, id_: str) -> bool:
    """Whether the ref contains the commit; a tag of a tree or blob contains none."""
    tip = commit_of_ref(repository, ref, skip_lost=True)
    if tip is None:
        return False
    # Unlike the alternatives, this call releases the GIL.
    return str(tip.id) == id_ or repository.ahead_behind(deferred_imports.pygit2().Oid(hex=id_), tip.id)[0] == 0


def find_tag(repository: "Repository", name: str) -> tuple[str, str | None, CommitInfo, str | None] | None:
    """The object of the tag's ref, its commit, and the message and time of an annotated tag."""
    pygit2 = deferred_imports.pygit2()
    try:
        target = repository[repository.lookup_reference(f"refs/tags/{name}").target]
        commit = target.peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError):
        return None
    if not isinstance(target, pygit2.Tag):
        return str(target.id), None, info(commit), None
    message, tagger = _text(target.raw_message).rstrip("\n"), target.tagger
    return str(target.id), message, info(commit), _moment(tagger.time, tagger.offset) if tagger else None


class Blob(msgspec.Struct, frozen=True):
    """The content of a file."""

    id: str
    path: str
    size: int
    data: bytes | None
    """None if it is too large for memory, and only streamed."""
    executable: bool = False


def file_at(repository: "Repository", commit_id: str, path: str) -> Blob | None:
    """The file at this path of a commit; a symbolic link is its own text and never followed."""
    pygit2 = deferred_imports.pygit2()
    try:
        item = item_at(repository[commit_id].peel(pygit2.Tree), path)
    except (KeyError, ValueError, pygit2.GitError):
        return None
    if not isinstance(item, pygit2.Blob):
        return None
    return _blob(repository, str(item.id), path, executable=item.filemode == pygit2.enums.FileMode.BLOB_EXECUTABLE)


def content_of(repository: "Repository", id_: str) -> Blob | None:
    """The blob of this id, if there is one."""
    return _blob(repository, id_, "") if _HEX.fullmatch(id_) else None


def _blob(repository: "Repository", id_: str, path: str, *, executable: bool = False) -> Blob | None:
    pygit2 = deferred_imports.pygit2()
    try:
        whole = repository.expand_id(id_)
        kind, size = repository.odb.read_header(whole)
        if kind != pygit2.enums.ObjectType.BLOB:
            return None
        data = repository.odb.read(whole)[1] if size <= MAX_BLOB_BYTES else None
        return Blob(str(whole), path, size, data, executable)
    except (KeyError, ValueError, pygit2.GitError):
        return None
