"""Creates commits in this process; no ref points to them until a push has moved one."""

import os
from bisect import bisect_left
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from mujina.adapters.git.git import check_writable
from mujina.adapters.git.objects import commit_of, create_commit, opened
from mujina.adapters.git.reading.commits import info
from mujina.adapters.git.reading.trees import MAX_NAME_BYTES, MAX_PATH_BYTES, TreeTooLarge, check_whole, tree_path
from mujina.adapters.git.writing.tree_merges import MergeConflict, merged_tree, tree_before
from mujina.kernel import clock, deferred_imports
from mujina.kernel.storage.errors import explained

if TYPE_CHECKING:
    from pygit2 import Commit, Index, Repository, Signature

REGULAR, EXECUTABLE = 0o100644, 0o100755
PLAIN = (REGULAR, EXECUTABLE)


class InvalidAction(Exception):
    """An action does not fit the tree; the message says why."""


class NothingRepeated(InvalidAction):
    """A commit cannot be picked or reverted on a branch: it conflicts, or the branch has no use for it (`empty`)."""

    def __init__(self, verb: Literal["cherry-pick", "revert"], code: Literal["conflict", "empty"]) -> None:
        done = "picked" if verb == "cherry-pick" else "reverted"
        super().__init__(
            f"Sorry, we cannot {verb} this commit automatically. It may have been {done} already, or conflict."
        )
        self.code = code


class Signer(msgspec.Struct, frozen=True):
    """An author or a committer."""

    name: str
    email: str


class Action(msgspec.Struct, frozen=True):
    """One change of a tree."""

    action: Literal["create", "update", "delete", "move", "chmod"]
    path: str
    content: bytes | None = None
    previous_path: str = ""
    last_commit_id: str = ""
    executable: bool | None = None


EXISTS = "A file with this name already exists"
FOLDER = "A directory with this name already exists"
NOT_PLAIN = "Only a plain file can be made executable"
NO_FOLDER = "{} is a file: nothing can be put below it"
MISSING = "A file with this name doesn't exist"
CHANGED = "You are attempting to update a file that has changed since you started editing it."


def commit(
    repo_path: Path, parent: str | None, actions: list[Action], message: str, author: Signer, committer: Signer
) -> str:
    """The id of a new commit on top of `parent`."""
    check_writable(repo_path)
    pygit2 = deferred_imports.pygit2()
    if parent is not None:
        _check_whole(repo_path, parent)
    repository = opened(repo_path)
    index = pygit2.Index()
    if parent is not None:
        index.read_tree(commit_of(repository, parent).tree)
    with explained(repo_path):
        for action in actions:
            _apply(repository, index, action, parent)
        tree = index.write_tree(repository)
        parents = [parent] if parent else []
        return str(create_commit(repository, sign(author), sign(committer), message, tree, parents))


class Repetition(msgspec.Struct, frozen=True):
    """A commit whose change is made or undone once more."""

    verb: Literal["cherry-pick", "revert"]
    id: str
    message: str = ""
    """The message of the new commit; empty: one that names the commit."""


def repeat(repo_path: Path, repetition: Repetition, onto: str, committer: Signer) -> str:
    """The id of a new commit on top of `onto`, or `NothingRepeated`; of a merge, what its first parent sees counts."""
    for commit_id in (onto, repetition.id):
        _check_whole(repo_path, commit_id)
    repository = opened(repo_path)
    ours, repeated = commit_of(repository, onto), commit_of(repository, repetition.id)
    with explained(repo_path):
        before, after = tree_before(repository, repeated), repeated.tree
        ancestor, theirs = (before, after) if repetition.verb == "cherry-pick" else (after, before)
        try:
            tree = merged_tree(repository, ancestor, ours.tree, theirs)
        except MergeConflict:
            raise NothingRepeated(repetition.verb, "conflict") from None
    if tree == ours.tree.id:
        raise NothingRepeated(repetition.verb, "empty")
    author, message = _author_and_message(repetition, repeated, committer)
    with explained(repo_path):
        return str(create_commit(repository, author, sign(committer), message, tree, [ours.id]))


def _author_and_message(repetition: Repetition, repeated: "Commit", committer: Signer) -> "tuple[Signature, str]":
    """A cherry-pick keeps the author; a revert has the caller as its author."""
    about = info(repeated)  # decoded from its own encoding
    if repetition.verb == "revert":
        message = f'Revert "{about.title}"\n\nThis reverts commit {repetition.id}'
        return sign(committer), repetition.message or message
    author = sign(Signer(about.author_name, about.author_email), repeated.author.time, repeated.author.offset)
    message = f"{about.message.rstrip()}\n\n(cherry picked from commit {repetition.id})".lstrip()
    return author, repetition.message or message


def _check_whole(repo_path: Path, commit_id: str) -> None:
    """Every change of a tree reads all of it into memory."""
    try:
        check_whole(repo_path, commit_id)
    except TreeTooLarge as error:
        raise InvalidAction(str(error)) from None


_UNWRITABLE = str.maketrans("", "", "<>\n\0")
"""Characters that git cannot write in a signature are left out."""

_TRIMMED = "".join(map(chr, range(33))) + ",:;\"'\\"
"""Characters that git strips from both ends; it rejects a name of nothing else."""


def sign(signer: Signer, moment: int | None = None, offset: int = 0) -> "Signature":
    """The signature, now or at another time."""
    name, email = (text.translate(_UNWRITABLE).strip(_TRIMMED) for text in (signer.name, signer.email))
    at = int(clock.timestamp()) if moment is None else moment
    return deferred_imports.pygit2().Signature(name or "Unknown", email or "unknown", at, offset)


def _apply(repository: "Repository", index: "Index", action: Action, parent: str | None) -> None:
    path = _safe(action.path)
    present = _entry(index, path)
    if action.action == "create":
        _check_room(index, path)
        _put(repository, index, path, action.content or b"", EXECUTABLE if action.executable else REGULAR)
        return
    if action.action == "move":
        _move(repository, index, path, _safe(action.previous_path), action)
        return
    if present is None:
        raise InvalidAction(MISSING)
    _check_unchanged(repository, parent, path, action)
    if action.action == "delete":
        index.remove(path)
    elif action.action == "chmod":
        if present.mode not in PLAIN:
            raise InvalidAction(NOT_PLAIN)
        index.add(_index_entry(path, present.id, EXECUTABLE if action.executable else REGULAR))
    else:
        mode = int(present.mode)
        if action.executable is not None and mode in PLAIN:
            mode = EXECUTABLE if action.executable else REGULAR
        _put(repository, index, path, action.content or b"", mode)


def _move(repository: "Repository", index: "Index", path: str, previous: str, action: Action) -> None:
    source = _entry(index, previous)
    if source is None:
        raise InvalidAction(MISSING)
    if path == previous:
        raise InvalidAction(EXISTS)
    index.remove(previous)
    _check_room(index, path)
    if action.content is None:
        index.add(_index_entry(path, source.id, int(source.mode)))
    else:
        _put(repository, index, path, action.content, int(source.mode))


def _check_room(index: "Index", path: str) -> None:
    """A new file never replaces a file or folder of this name."""
    if _entry(index, path) is not None:
        raise InvalidAction(EXISTS)
    for folder in map(str, PurePosixPath(path).parents):
        if _entry(index, folder) is not None:
            raise InvalidAction(NO_FOLDER.format(folder))
    # An index is sorted by path: entries below this path would be here.
    folder = os.fsencode(f"{path}/")
    below = bisect_left(range(len(index)), folder, key=lambda position: os.fsencode(index[position].path))
    if below < len(index) and os.fsencode(index[below].path).startswith(folder):
        raise InvalidAction(FOLDER)


def _put(repository: "Repository", index: "Index", path: str, content: bytes, mode: int) -> None:
    # The content of a symbolic link is its target: the API always writes a regular file.
    plain = mode if mode in PLAIN else REGULAR
    blob = repository.create_blob(content)
    try:
        index.add(_index_entry(path, blob, plain))
    except (OSError, ValueError, deferred_imports.pygit2().GitError) as error:
        raise InvalidAction(f"The path {path} cannot be used here") from error


def _index_entry(path: str, id_: Any, mode: int) -> Any:
    pygit2 = deferred_imports.pygit2()
    return pygit2.IndexEntry(path, id_, pygit2.enums.FileMode(mode))


def _entry(index: "Index", path: str) -> Any:
    try:
        return index[path]
    except KeyError:
        return None


def _check_unchanged(repository: "Repository", parent: str | None, path: str, action: Action) -> None:
    """Reject the action if the file has changed since the commit that the client names."""
    if not action.last_commit_id or parent is None:
        return
    pygit2 = deferred_imports.pygit2()
    try:
        then = repository[action.last_commit_id].peel(pygit2.Commit).tree[path].id
        now = repository[parent].peel(pygit2.Commit).tree[path].id
    except (KeyError, ValueError, pygit2.GitError):
        raise InvalidAction(CHANGED) from None
    if then != now:
        raise InvalidAction(CHANGED)


def _safe(path: str) -> str:
    """The normalized path, inside the tree and outside of `.git`."""
    inside = tree_path(path)
    parts = inside.split("/")
    if not inside or any(part == ".." or _is_dot_git(part) for part in parts) or "\0" in path:
        raise InvalidAction("The path cannot be used: it is empty, leads outside, or names git's own folder")
    if len(inside.encode()) > MAX_PATH_BYTES or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        raise InvalidAction("The path is too long")
    return inside


def _is_dot_git(part: str) -> bool:
    folded = "".join(c for c in part.casefold() if c.isprintable() and c not in "\u200c\u200d").rstrip(". ")
    return folded in (".git", "git~1")


def annotate(repo_path: Path, name: str, target: str, message: str, tagger: Signer, moment: int) -> str:
    """The id of a new tag object."""
    signature = sign(tagger)
    text = f"object {target}\ntype commit\ntag {name}\ntagger {signature.name} <{signature.email}> {moment} +0000\n\n{message}\n"
    with explained(repo_path):
        return str(opened(repo_path).write(deferred_imports.pygit2().enums.ObjectType.TAG, text.encode()))
