"""Commits: find, list, compare, create."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.objects import commit_of, opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import counting, diffs, log, sizes
from mujina.adapters.git.reading import patches as git_patches
from mujina.adapters.git.reading.commits import CommitInfo, FileChange, Stats
from mujina.adapters.git.reading.log import History
from mujina.adapters.git.reading.patches import Patches
from mujina.adapters.git.reading.trees import TreeTooLarge, check_whole, tree_path
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.git.writing import commits as writing
from mujina.adapters.git.writing.commits import Action, InvalidAction, NothingRepeated, Repetition, Signer
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO, Change
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.repo_paths import repo_path_to_read, repo_path_to_write
from mujina.code.wikis.slugs import BRANCH
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import PUSH_BRANCH, READ_CODE, ProjectRow, find_project

if TYPE_CHECKING:
    from pygit2 import Repository as GitRepository

__all__ = [
    "Action", "CommitInfo", "FileChange", "InvalidAction", "Patches", "Repetition", "Repository", "Signer", "Stats",
]  # fmt: skip

MIN_ID = 7
"""Digits of a shortened id in an address."""
MAX_COMPARED = 500
"""Commits that a page with a comparison lists."""
MAX_COUNTED = 20_000
"""Commits that are counted by day."""
NEAR = 100
"""This many commits from the tip are read in a millisecond or two: less than the switch to a thread takes."""


class Repository(msgspec.Struct, frozen=True, dict=True):
    """A project's repository on disk, as one request sees it."""

    repo_path: Path
    default_branch: str | None

    @cached_property
    def repository(self) -> "GitRepository":
        """Opened once for the request; one thread uses it at a time."""
        return opened(self.repo_path)


INVALID_BRANCH = "Branch name is invalid"
NOT_ON_A_BRANCH = "You can only create or edit files when you are on a branch"
BRANCH_EXISTS = "A branch called '{}' already exists. Switch to that branch in order to make changes"


class ResolvedCommit(msgspec.Struct, frozen=True):
    """A commit, and the name by which it was found."""

    code: Repository
    name: str
    id: str


async def code_of(services: Services, project: ProjectRow) -> Repository:
    """The project's repository, to read it; empty before the first push."""
    return Repository(await repo_path_to_read(services, project.repository_storage, project.id), project.default_branch)


async def find_code(
    services: Services, actor: Actor, ref: Ref, *, to: Rule = READ_CODE
) -> tuple[ProjectRow, Repository]:
    """The project with its repository, if the actor may do this with it."""
    async with services.database.reading() as tx:
        project = await find_project(tx, actor, ref, to=to)
    return project, await code_of(services, project)


def find(code: Repository, name: str | None, noun: str = "Commit") -> ResolvedCommit:
    """The commit of a branch, tag or id, of the default branch if none is named; 404 with the noun if there is none."""
    name = name or code.default_branch or "HEAD"
    commit = errors.or_not_found(reading.find_commit(code.repository, name), noun)
    return ResolvedCommit(code, name, str(commit.id))


class Committer(msgspec.Struct, frozen=True):
    """A user who commits to the repository or wiki of a project through the API."""

    services: Services
    actor: Actor
    project: ProjectRow
    code: Repository
    signer: Signer
    wiki: bool = False


async def committer_for(
    services: Services, actor: Actor, ref: Ref, *, to: Rule = PUSH_BRANCH, wiki: bool = False
) -> Committer:
    """The actor as committer to the project's repository or wiki; 404 or 403 if they may not."""
    async with services.database.reading() as tx:
        project = await find_project(tx, actor, ref, to=to)
        signer = await signer_of(tx, actor)
    repo_path = await repo_path_to_write(services, project.repository_storage, project.id, wiki=wiki)
    repository = Repository(repo_path, BRANCH if wiki else project.default_branch)
    return Committer(services, actor, project, repository, signer, wiki=wiki)


async def signer_of(tx: Tx, actor: Actor) -> Signer:
    """The actor's name and primary email."""
    return Signer(actor.name, await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=actor.id))


class TargetBranch(msgspec.Struct, frozen=True):
    """The branch that a commit is added to. It moves from this tip only: a concurrent commit is never lost."""

    committer: Committer
    name: str
    tip: str = ZERO
    """`ZERO` if the branch is new."""
    parent: ResolvedCommit | None = None
    """None for the first commit."""


def tip_of(code: Repository, branch: str) -> ResolvedCommit:
    """The commit a branch points to; 404 if the branch does not exist."""
    tip = errors.or_not_found(counting.tip_of(code.repository, BRANCHES + branch), "Branch")
    return ResolvedCommit(code, branch, tip)


def target_branch(
    committer: Committer, name: str, start_branch: str, *, start: ResolvedCommit | None = None, force: bool = False
) -> TargetBranch:
    """An existing branch, or a new one that starts at another or at `start`; 400 if there is nothing to start from.

    With `force`, a branch that exists is moved to what starts elsewhere, as by a push with force.
    """
    code = committer.code
    tip = counting.tip_of(code.repository, BRANCHES + name)
    if (start is not None or start_branch not in ("", name)) and tip is not None and not force:
        raise errors.bad_request(BRANCH_EXISTS.format(name))
    if start is None and (first := counting.tip_of(code.repository, BRANCHES + (start_branch or name))) is not None:
        start = ResolvedCommit(code, start_branch or name, first)
    if start is None and code.default_branch is not None:
        raise errors.bad_request(NOT_ON_A_BRANCH)
    if tip is None and not fits(code, Change(BRANCHES + name, ZERO, ZERO)):
        raise errors.bad_request(INVALID_BRANCH)
    return TargetBranch(committer, name, tip or ZERO, start)


async def commit(
    branch: TargetBranch, actions: list[Action], message: str, *, author_name: str = "", author_email: str = ""
) -> ResolvedCommit:
    """Add one commit to the branch, checked and recorded like a push; 400 if an action does not fit the tree."""
    if not message.strip():
        raise errors.invalid({"commit_message": [errors.BLANK]})
    signer, repo_path = branch.committer.signer, branch.committer.code.repo_path
    author = Signer(author_name or signer.name, author_email or signer.email)
    parent_id = branch.parent.id if branch.parent else None
    try:
        commit_id = await asyncio.to_thread(writing.commit, repo_path, parent_id, actions, message, author, signer)
    except InvalidAction as invalid:
        raise errors.bad_request(str(invalid)) from None
    return await _move(branch, commit_id)


async def repeat(
    committer: Committer, repetition: Repetition, branch: str, *, start_branch: str = "", dry_run: bool = False
) -> ResolvedCommit:
    """Add a commit to the branch that makes or undoes the change; 400 if it conflicts, or nothing is left to do.

    With `start_branch` the branch is new. A `dry_run` makes the commit and checks whether the branch may move to it.
    """
    found, tip = find(committer.code, repetition.id), tip_of(committer.code, start_branch or branch)
    target = target_branch(committer, branch, start_branch) if start_branch else TargetBranch(committer, branch, tip.id)
    whole, repo_path = msgspec.structs.replace(repetition, id=found.id), committer.code.repo_path
    try:
        made = await asyncio.to_thread(writing.repeat, repo_path, whole, tip.id, committer.signer)
        return await _move(target, made, dry_run=dry_run)
    except NothingRepeated as failure:
        refusal = errors.BadRequest({"message": str(failure), "error_code": failure.code})
    except InvalidAction as invalid:
        refusal = errors.bad_request(str(invalid))
    except errors.BadRequest as refused:
        refusal = refused
    if dry_run:
        refusal.body["dry_run"] = "error"
    raise refusal


async def _move(branch: TargetBranch, commit_id: str, *, dry_run: bool = False) -> ResolvedCommit:
    """The branch points to the new commit, as by a push; with `dry_run`, it could."""
    committer, change = branch.committer, Change(BRANCHES + branch.name, branch.tip, commit_id)
    await move_refs(
        committer.services, committer.actor, committer.project.id, [change], wiki=committer.wiki, dry_run=dry_run
    )
    return ResolvedCommit(committer.code, commit_id, commit_id)


def fits(code: Repository, change: Change) -> bool:
    """Whether a new ref may have this name."""
    return reading.is_valid_ref(change.ref) and reading.has_room(code.repository, change.ref)


def exists(code: Repository, name: str) -> bool:
    return reading.find_commit(code.repository, name) is not None


def is_branch(code: Repository, name: str) -> bool:
    return reading.is_branch(code.repository, name)


def is_name(code: Repository, name: str, *, as_id: bool) -> bool:
    """Whether a commit can be found by this name: a branch, a tag, `HEAD`, or with `as_id` at least 7 digits of its id."""
    if as_id and (name == "HEAD" or (len(name) >= MIN_ID and reading.find_commit_by_id(code.repository, name))):
        return exists(code, name)
    return any(counting.tip_of(code.repository, folder + name) is not None for folder in (BRANCHES, TAGS))


def show(found: ResolvedCommit) -> CommitInfo:
    return reading.info(commit_of(found.code.repository, found.id))


def written_at(commit: CommitInfo) -> str:
    """The author date in the format of our timestamps: the age of a branch or tag."""
    return clock.iso(datetime.fromisoformat(commit.authored_at))


async def stats_of(found: ResolvedCommit) -> Stats:
    return (await stats_of_each(found.code, [found.id]))[0]


async def stats_of_each(code: Repository, ids: list[str]) -> list[Stats]:
    """The statistics of each of these commits, in their order."""

    def read() -> list[Stats]:
        found = [reading.find_commit(code.repository, id_) for id_ in ids]
        return [reading.stats(code.repository, commit) for commit in found if commit is not None]

    return await asyncio.to_thread(read)


async def history(
    found: ResolvedCommit, path: str, since: str, until: str, *, offset: int, limit: int, **options: Any
) -> tuple[list[CommitInfo], int]:
    """One page of the history of a commit, a range or `all_refs`, and the total. `options`: further fields of `History`."""
    repository = found.code.repository
    wanted = History(found.code.repo_path, found.id, tree_path(path), since, until, **options)

    def read() -> list[CommitInfo]:
        return list(islice(reading.log(repository, found.id), offset, offset + limit))

    if ".." in path.split("/"):  # no tree contains it, and git would resolve it outside of the tree
        return [], 0
    if wanted.whole and found.id != log.ALL_REFS:
        return read() if offset + limit <= NEAR else await asyncio.to_thread(read), await log.count(wanted)
    return await _page(found, wanted, offset, limit)


async def with_message(found: ResolvedCommit, words: str, *, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    """One page of the commits in a history whose messages contain the words, and the total."""
    return await _page(found, History(found.code.repo_path, found.id, words=words), offset, limit)


async def _page(found: ResolvedCommit, wanted: History, offset: int, limit: int) -> tuple[list[CommitInfo], int]:
    page = [show(ResolvedCommit(found.code, id_, id_)) for id_ in await log.ids(wanted, offset, limit)]
    return page, await log.count(wanted)


async def differences(
    found: ResolvedCommit, since: ResolvedCommit | None = None, part: slice = slice(None)
) -> tuple[list[FileChange], int]:
    """The changes of a commit against its first parent or another commit, or a part of them; and the number of files."""

    def read() -> tuple[list[FileChange], int]:
        repository = found.code.repository
        after = commit_of(repository, found.id)
        before = next(iter(after.parents), None) if since is None else reading.find_commit(repository, since.id)
        return reading.differences(repository, before, after, part)

    return await asyncio.to_thread(read)


class CommitRange(msgspec.Struct, frozen=True):
    commits: list[CommitInfo]
    changes: list[FileChange]


async def compare(before: ResolvedCommit, after: ResolvedCommit, *, straight: bool = False) -> CommitRange:
    """The commits that only `after` has, and the changes since the merge base, or since `before` if `straight`."""
    repo_path = before.code.repo_path
    base = await git_refs.merge_base(repo_path, before.id, after.id)
    commits, changes = await asyncio.to_thread(reading.comparison, repo_path, before.id, after.id, base)
    return CommitRange(commits, (await differences(after, before))[0] if straight else changes)


async def contributors(found: ResolvedCommit) -> list[tuple[str, str, int]]:
    """Name, email and number of commits of each author in the history."""
    return await asyncio.to_thread(reading.contributors, found.code.repo_path, found.id)


async def refs_with(found: ResolvedCommit) -> list[tuple[str, str]]:
    """Kind and name of every branch and tag that contains the commit."""
    # Git walks the history once for all refs; asking libgit2 for each of them takes seventeen times as long.
    refs = await git_refs.refs_about(found.code.repo_path, (BRANCHES, TAGS), found.id, containing=True)
    readable = [ref.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for ref in refs]
    return [
        ("branch", ref.removeprefix(BRANCHES)) if ref.startswith(BRANCHES) else ("tag", ref.removeprefix(TAGS))
        for ref in readable
    ]


async def check_tree(found: ResolvedCommit) -> None:
    """400 if the commit's tree is too deep or too large to be read as a whole."""
    try:
        await asyncio.to_thread(check_whole, found.code.repo_path, found.id)
    except TreeTooLarge as error:
        raise errors.bad_request(str(error)) from None


async def file_sizes(code: Repository) -> list[tuple[str, int]]:
    """Name and size of every file of the default branch; none in an empty repository."""
    if code.default_branch is None:
        return []
    await check_tree(find(code, None))
    return await sizes.file_sizes(code.repo_path, f"refs/heads/{code.default_branch}")


async def existing_commits(services: Services, storage: str, project_id: int, names: Collection[str]) -> dict[str, str]:
    """Returns the whole ids of those that name a commit of the project, whole or shortened."""
    repo_path = RepositoryStorage.of(services.settings.data, storage).repo_path(project_id)

    def read() -> dict[str, str]:
        repository = opened(repo_path)
        found = {name: reading.find_commit_by_id(repository, name) for name in names}
        return {name: str(commit.id) for name, commit in found.items() if commit is not None}

    return await asyncio.to_thread(read) if (repo_path / "HEAD").exists() else {}


async def patches(head: ResolvedCommit, base: str | None, wanted: Callable[[int, str], bool], **limits: Any) -> Patches:
    """The lines of the files that differ between two commits; `wanted` says by number and path whose lines are read.

    `limits`: those of `git_patches.patches`.
    """
    return await asyncio.to_thread(git_patches.patches, head.code.repo_path, base, head.id, wanted, **limits)


async def blob_texts(found: ResolvedCommit, blobs: list[str], max_bytes: int) -> dict[str, str]:
    """The texts of these blobs, without larger ones and those that are no text."""
    return await asyncio.to_thread(git_patches.texts_of, found.code.repo_path, blobs, max_bytes) if blobs else {}


async def commits_between(before: ResolvedCommit, after: ResolvedCommit) -> tuple[str, list[CommitInfo]]:
    """The merge base (`before` itself without one), and the newest commits that only `after` has, the newest first."""
    repo_path = before.code.repo_path
    base = await git_refs.merge_base(repo_path, before.id, after.id)

    def read() -> list[CommitInfo]:
        return diffs.read_commits(repo_path, diffs.commits_between(repo_path, before.id, after.id, MAX_COMPARED))

    return base or before.id, await asyncio.to_thread(read)


async def per_day(found: ResolvedCommit, since: str) -> dict[str, int]:
    """The number of commits on each day from this one on."""

    def read() -> dict[str, int]:
        walked = islice(reading.log(found.code.repository, found.id), MAX_COUNTED)
        counts = Counter(commit.committed_at[:10] for commit in walked)
        return {day: count for day, count in counts.items() if day >= since}

    return await asyncio.to_thread(read)


async def patch_pieces(commit: CommitInfo, code: Repository, *, mail: bool) -> AsyncGenerator[bytes]:
    """The changes of a commit as git writes them, against its first parent; `mail`: with its message, to be applied."""
    if mail:
        pieces = git.stream(code.repo_path, "format-patch", "-1", "--stdout", named=[commit.id])
    elif commit.parents:
        pieces = diffs.stream(code.repo_path, commit.parents[0], commit.id)
    else:
        pieces = git.stream(code.repo_path, "diff-tree", "--root", "-p", "--no-commit-id", named=[commit.id])
    return await git.begun(pieces)
