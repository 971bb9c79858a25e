"""Commits: found, listed, compared, made."""

import asyncio
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mujina.adapters import git_counting, git_log, git_reading, git_refs, git_sizes, git_writing
from mujina.adapters.git_log import History
from mujina.adapters.git_objects import opened
from mujina.adapters.git_reading import CommitInfo, FileChange, Stats
from mujina.adapters.git_storage import RepositoryStorage
from mujina.adapters.git_trees import TreeTooLarge, check_whole, tree_path
from mujina.adapters.git_writing import Action, InvalidAction, Signer
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

if TYPE_CHECKING:
    from pygit2 import Repository

__all__ = ["Action", "Code", "CommitInfo", "FileChange", "InvalidAction", "Signer", "Stats"]

NEAR = 100
"""So many commits from the tip are read in a millisecond or two: less than it takes to wait for a thread."""


class Code(msgspec.Struct, frozen=True, dict=True):
    """A project's repository on disk, as one request sees it."""

    place: Path
    default_branch: str | None

    @cached_property
    def repository(self) -> "Repository":
        """Opened once for all that the request reads, by one reader at a time."""
        return opened(self.place)


INVALID_BRANCH = "Branch name is invalid"
NOT_ON_A_BRANCH = "You can only create or edit files when you are on a branch"
BRANCH_EXISTS = "A branch called '{}' already exists. Switch to that branch in order to make changes"


class Found(msgspec.Struct, frozen=True):
    """A commit that a name led to."""

    code: Code
    name: str
    id: str


async def code_of(services: Services, project: ProjectRow) -> Code:
    """The project's repository; made, and empty, if nobody pushed yet."""
    storage = RepositoryStorage.of(services.settings.data, project.repository_storage)
    return Code(await storage.repository(project.id), project.default_branch)


def find(code: Code, name: str | None, noun: str = "Commit") -> Found:
    """The commit of a branch, tag or id, of the default branch if none is named; 404 with the noun if there is none."""
    name = name or code.default_branch or "HEAD"
    commit = git_reading.find_commit(code.repository, name)
    if commit is None:
        raise errors.not_found(noun)
    return Found(code, name, str(commit.id))


class Start(msgspec.Struct, frozen=True):
    """Where a new commit goes on from."""

    parent: Found | None
    """None: it is the first one."""
    change: Change
    """The branch as it is now; a commit moves it from there, so that whoever was faster is not overruled."""

    def to(self, commit_id: str) -> Change:
        return msgspec.structs.replace(self.change, new=commit_id)


def tip_of(code: Code, branch: str) -> Found:
    """The commit a branch is at; 404 if there is none of this name."""
    tip = git_counting.tip_of(code.repository, BRANCHES + branch)
    if tip is None:
        raise errors.not_found("Branch")
    return Found(code, branch, tip)


def start_of(code: Code, branch: str, start_branch: str) -> Start:
    """On the branch itself, or where another one is, if the branch is new; 400 if neither is there to go on from."""
    old = git_counting.tip_of(code.repository, BRANCHES + branch)
    if start_branch not in ("", branch) and old is not None:
        raise errors.bad_request(BRANCH_EXISTS.format(branch))
    start = git_counting.tip_of(code.repository, BRANCHES + (start_branch or branch))
    if start is None and code.default_branch is not None:
        raise errors.bad_request(NOT_ON_A_BRANCH)
    change = Change(BRANCHES + branch, old or ZERO, ZERO)
    if old is None and not fits(code, change):
        raise errors.bad_request(INVALID_BRANCH)
    return Start(None if start is None else Found(code, start_branch or branch, start), change)


def fits(code: Code, change: Change) -> bool:
    """Whether a new ref may be called so."""
    return git_reading.is_valid_ref(change.ref) and git_reading.has_room(code.repository, change.ref)


def exists(code: Code, name: str) -> bool:
    return git_reading.find_commit(code.repository, name) is not None


def show(found: Found) -> CommitInfo:
    commit = git_reading.find_commit(found.code.repository, found.id)
    assert commit is not None
    return git_reading.info(commit)


def written_at(commit: CommitInfo) -> str:
    """When it was written, told as our own times are: what a branch or tag is as old as."""
    return clock.iso(datetime.fromisoformat(commit.authored_at))


async def stats_of(found: Found) -> Stats:
    def read() -> Stats:
        commit = git_reading.find_commit(found.code.repository, found.id)
        assert commit is not None
        return git_reading.stats(found.code.repository, commit)

    return await asyncio.to_thread(read)


async def stats_of_each(code: Code, commits: list[CommitInfo]) -> list[Stats]:
    """Of each of these commits, in their order."""

    def read() -> list[Stats]:
        found = [git_reading.find_commit(code.repository, commit.id) for commit in commits]
        return [git_reading.stats(code.repository, commit) for commit in found if commit is not None]

    return await asyncio.to_thread(read)


async def history(
    found: Found, path: str, since: str, until: str, *, offset: int, limit: int
) -> tuple[list[CommitInfo], int]:
    """One page of the history of a commit, and how long it is."""
    repository, wanted = found.code.repository, History(found.code.place, found.id, tree_path(path), since, until)

    def read() -> list[CommitInfo]:
        return list(islice(git_reading.log(repository, found.id), offset, offset + limit))

    if ".." in path.split("/"):  # no tree has it, and git would look for it outside
        return [], 0
    if wanted.whole:
        near = offset + limit <= NEAR
        return read() if near else await asyncio.to_thread(read), await git_log.count(wanted)
    return await _page(found, wanted, offset, limit)


async def saying(found: Found, words: str, *, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    """One page of those commits in the history of one whose message says the words, and how many there are."""
    return await _page(found, History(found.code.place, found.id, words=words), offset, limit)


async def _page(found: Found, wanted: History, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    page = [show(Found(found.code, id_, id_)) for id_ in await git_log.ids(wanted, offset, limit)]
    return page, await git_log.count(wanted)


async def differences(
    found: Found, since: Found | None = None, part: slice = slice(None)
) -> tuple[list[FileChange], int]:
    """What a commit changed against its first parent, or against another commit, or a part of that; and how many files."""

    def read() -> tuple[list[FileChange], int]:
        repository = found.code.repository
        after = git_reading.find_commit(repository, found.id)
        assert after is not None
        if since is not None:
            before = git_reading.find_commit(repository, since.id)
        else:
            before = after.parents[0] if after.parents else None
        return git_reading.differences(repository, before, after, part)

    return await asyncio.to_thread(read)


class Comparison(msgspec.Struct, frozen=True):
    commits: list[CommitInfo]
    changes: list[FileChange]


async def compare(before: Found, after: Found, *, straight: bool = False) -> Comparison:
    """What `after` has that `before` has not, and what that changes since they parted; or from one straight to the other."""
    place = before.code.place
    parted = await git_refs.merge_base(place, before.id, after.id)

    def read() -> Comparison:
        return Comparison(*git_reading.comparison(place, before.id, after.id, parted))

    told = await asyncio.to_thread(read)
    return Comparison(told.commits, (await differences(after, before))[0]) if straight else told


async def contributors(found: Found) -> list[tuple[str, str, int]]:
    """Name, address and number of commits of everybody in the history."""
    return await asyncio.to_thread(git_reading.contributors, found.code.place, found.id)


async def refs_with(found: Found) -> list[tuple[str, str]]:
    """Kind and name of every branch and tag that holds the commit."""
    return await asyncio.to_thread(git_reading.refs_with, found.code.place, found.id)


async def check_tree(found: Found) -> None:
    """400 if nobody could work with the commit's tree as a whole: it is too deep, or has too many files."""
    try:
        await asyncio.to_thread(check_whole, found.code.place, found.id)
    except TreeTooLarge as unwieldy:
        raise errors.bad_request(str(unwieldy)) from None


async def write(
    code: Code, parent: Found | None, actions: list[Action], message: str, author: Signer, committer: Signer
) -> str:
    """A new commit that no ref names yet, made of these actions; `InvalidAction` if one of them does not fit the tree."""
    if not message.strip():
        raise errors.invalid({"commit_message": [errors.BLANK]})
    parent_id = parent.id if parent else None
    return await asyncio.to_thread(git_writing.commit, code.place, parent_id, actions, message, author, committer)


async def cherry_pick(found: Found, onto: Found, committer: Signer) -> str:
    """A new commit that does on `onto` what `found` did; `InvalidAction` if it conflicts."""
    return await asyncio.to_thread(git_writing.cherry_pick, found.code.place, found.id, onto.id, committer)


async def signers(tx: Tx, actor: Actor, name: str = "", email: str = "") -> tuple[Signer, Signer]:
    """Whoever wrote, as the request says, and the actor, who commits."""
    address = await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=actor.id)
    committer = Signer(actor.name, address)
    return Signer(name or committer.name, email or committer.email), committer


async def file_sizes(code: Code) -> list[tuple[str, int]]:
    """Name and size of every file of the default branch; none in an empty repository."""
    if code.default_branch is None:
        return []
    await check_tree(find(code, None))
    return await git_sizes.file_sizes(code.place, f"refs/heads/{code.default_branch}")
