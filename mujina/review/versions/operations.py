"""Versions of a merge request: which commits are compared, kept in the repository of the target project.

`refs/merge-requests/<iid>/head` is the source branch as people fetch it. `refs/keep-around/<id>` keeps every commit that a
version names, so that neither housekeeping nor the end of a fork removes it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.objects import commit_at, commit_of, commit_of_ref, database_of, opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import counting, log
from mujina.adapters.git.reading import diffs as git_diffs
from mujina.adapters.git.reading.commits import CommitInfo, FileChange
from mujina.adapters.git.reading.log import History
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.git.transport import copying
from mujina.code.pushes.changes import BRANCHES, KEPT
from mujina.code.pushes.repo_paths import repo_path_to_read, repo_path_to_write
from mujina.kernel import clock, deferred_imports
from mujina.kernel.db.rows import Row, insert_id
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.events import Event
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.planning.references.closing_keywords import closed_by
from mujina.planning.references.parsing import MAX_REFERENCES, IssueReference
from mujina.review.versions.rules import NEWEST_VERSION, VersionRow

__all__ = ["KEPT", "CommitInfo", "FileChange"]

MAX_GAINED = 50_000
"""If one push brings more commits than this, each request is looked for by itself."""

MAX_COMMITS_READ = 10_000
"""The messages of further commits are not searched for closing keywords."""
MAX_LENGTH_READ = 1_000_000
"""Characters of all messages together, likewise."""
MAX_HEADS: Final = 1_000
"""Heads that are read and looked for at once."""


class RepositoryRef(msgspec.Struct, frozen=True):
    """Where the repository of a project is."""

    project_id: int
    storage: str

    async def repo_path(self, services: Services) -> Path:
        return await repo_path_to_read(services, self.storage, self.project_id)


class Branches(msgspec.Struct, frozen=True):
    """The commits that a merge request compares."""

    source: RepositoryRef | None
    """None: the source project is gone."""
    source_branch: str
    target: RepositoryRef
    target_branch: str


class NewVersion(msgspec.Struct, frozen=True):
    """A version that is not stored yet; its commits are in the repository of the target."""

    head_sha: str | None
    base_sha: str | None
    start_sha: str | None
    state: str
    real_size: str | None
    closing: str = "[]"
    """The issues that the messages of its commits close, as JSON."""


async def prepare(services: Services, branches: Branches) -> NewVersion:
    """Compare the branches as they are now, after copying the commits of a fork."""
    target = await repo_path_to_write(services, branches.target.storage, branches.target.project_id)
    start = tip(target, branches.target_branch)
    head = None
    if branches.source is not None:
        source = await branches.source.repo_path(services)
        head = tip(source, branches.source_branch)
        if (
            head is not None
            and source != target
            and counting.tip_of(opened(target), KEPT + head, skip_lost=True) is None
        ):
            await copying.fetch_commit(source, target, head, KEPT + head)
    base = None if head is None or start is None else await git_refs.merge_base(target, head, start)
    await keep(target, head, base, start)
    if head is None or base is None or base == head:
        return NewVersion(head, base, start, "empty", None)
    closing = await asyncio.to_thread(_closing, target, start, head)
    found = await asyncio.to_thread(git_diffs.difference, target, base, head)
    size = f"{len(found.files)}{'+' if found.overflow else ''}"
    state = "overflow" if found.overflow else "collected" if found.files else "empty"
    return NewVersion(head_sha=head, base_sha=base, start_sha=start, state=state, real_size=size, closing=closing)


def _closing(repo_path: Path, start: str | None, head: str) -> str:
    """The issues that the messages of the commits of `head` close, as JSON."""
    base_url = instance_address.get().base
    found: dict[IssueReference, None] = {}
    for message in git_diffs.messages_between(repo_path, start, head, MAX_COMMITS_READ, MAX_LENGTH_READ):
        found |= dict.fromkeys(closed_by(message, base_url))
    return msgspec.json.encode(list(found)[:MAX_REFERENCES]).decode()


def tip(repo_path: Path, branch: str) -> str | None:
    """The commit of a branch; None if there is no such branch."""
    return tips(repo_path, branch)[0]


def tips(repo_path: Path, *branches: str) -> list[str | None]:
    """The commits of several branches; None for one that does not exist. A branch whose commit is lost does exist."""
    repository = opened(repo_path)
    refs = [BRANCHES + branch for branch in branches]
    return [counting.tip_of(repository, ref) if reading.is_valid_ref(ref) else None for ref in refs]


async def contains(services: Services, repository: RepositoryRef, commit: str, other: str) -> bool:
    """Whether the history of the commit contains the other one, which may have been pruned: then it does not."""
    repo_path = await repository.repo_path(services)
    return other in database_of(repo_path) and await git_refs.is_ancestor(repo_path, other, commit)


async def has_commit(services: Services, repository: RepositoryRef, commit: str) -> bool:
    """Whether the repository has the commit."""
    return commit in database_of(await repository.repo_path(services))


async def gained(services: Services, repository: RepositoryRef, old: str, new: str) -> frozenset[str] | None:
    """The commits that a branch gained; None if they are too many to list."""
    repo_path = await repository.repo_path(services)
    ids = await asyncio.to_thread(git_diffs.commits_between, repo_path, old, new, MAX_GAINED + 1)
    return None if len(ids) > MAX_GAINED else frozenset(ids)


async def reached(
    services: Services, repository: RepositoryRef, commits: frozenset[str], heads: Sequence[str], old: str
) -> frozenset[str]:
    """Returns those commits, of the ones that a branch gained since `old`, that one of these heads has too."""
    if not commits or not heads:
        return frozenset()
    return await asyncio.to_thread(git_diffs.reached, await repository.repo_path(services), commits, heads, old)


async def includes_any(
    services: Services, repository: RepositoryRef, base: str, head: str, commits: frozenset[str]
) -> bool:
    """Whether one of these commits is among those of `head` that `base` lacks."""
    if not commits:
        return False
    ids = await asyncio.to_thread(git_diffs.commits_between, await repository.repo_path(services), base, head)
    return not commits.isdisjoint(ids)


async def count(services: Services, repository: RepositoryRef, start: str, head: str) -> int:
    """How many commits `head` has that `start` lacks; 0 if one of them does not exist."""
    try:
        return await log.count_since(History(await repository.repo_path(services), head, base=start))
    except LookupError:
        return 0


async def diverged(repo_path: Path, head: str, tip: str) -> int:
    """How many commits `tip` has that `head` lacks."""
    return await asyncio.to_thread(lambda: counting.count_between(opened(repo_path), head, tip))


async def base(services: Services, repository: RepositoryRef, one: str, other: str) -> str | None:
    """The merge base of two commits."""
    return await git_refs.merge_base(await repository.repo_path(services), one, other)


async def add(tx: Tx, merge_request_id: int, version: NewVersion) -> int:
    """Store a version; it is the newest one."""
    return await insert_id(
        tx, "merge_request_versions", merge_request_id=merge_request_id, created_at=clock.now(),
        **msgspec.structs.asdict(version),
    )  # fmt: skip


async def newest_head(tx: Tx, merge_request_id: int) -> str | None:
    """The head of the newest version; None if it has none."""
    return await tx.value(
        "SELECT v.head_sha FROM merge_request_versions v WHERE v.merge_request_id = :id ORDER BY v.id DESC LIMIT 1",
        id=merge_request_id,
    )


def head_ref(iid: int) -> str:
    """The name by which people fetch the head of a request."""
    return f"refs/merge-requests/{iid}/head"


async def publish_head(services: Services, repository: RepositoryRef, iid: int, head: str | None) -> None:
    """The commit under the name by which people fetch it."""
    if head is not None:
        await _set_refs(await repository.repo_path(services), {head_ref(iid): head})


async def keep(repo_path: Path, *commits: str | None) -> None:
    """Keep these commits and what they lead to, whatever becomes of branches."""
    await _set_refs(repo_path, {KEPT + commit: commit for commit in commits if commit is not None})


async def _set_refs(repo_path: Path, refs: dict[str, str]) -> None:
    """Set those of the refs that are elsewhere: many requests keep the same commits, and setting a ref locks it."""
    repository = opened(repo_path)
    wrong = {ref: commit for ref, commit in refs.items() if counting.tip_of(repository, ref, skip_lost=True) != commit}
    await git_refs.set_refs(repo_path, wrong)


async def find_with(services: Services, repository: RepositoryRef, commit: str) -> tuple[list[int], set[str]]:
    """The iids of the requests whose head contains the commit, and the merge bases that do not contain it."""
    repo_path = await repository.repo_path(services)
    heads = await git_refs.refs_about(repo_path, ["refs/merge-requests/"], commit, containing=True)
    if not heads:
        return [], set()
    kept = await git_refs.refs_about(repo_path, [KEPT], commit, containing=False)
    return [int(ref.split("/")[2]) for ref in heads if ref.endswith("/head")], {ref.removeprefix(KEPT) for ref in kept}


async def withdraw_head(services: Services, repository: RepositoryRef, iid: int) -> None:
    """Deletes the refs by which this request can be fetched."""
    repo_path = await repository.repo_path(services)
    if refs := await git_refs.read_below(repo_path, f"refs/merge-requests/{iid}/"):
        await git_refs.drop_refs(repo_path, list(refs))


async def commits(
    services: Services, repository: RepositoryRef, version: VersionRow | None, offset: int = 0, limit: int | None = None
) -> tuple[list[CommitInfo], int]:
    """A part of the commits of a version, the newest first, and how many there are."""
    if version is None or version.head_sha is None:
        return [], 0
    repo_path, start, head = await repository.repo_path(services), version.start_sha, version.head_sha

    def read() -> tuple[list[CommitInfo], int]:
        repository = opened(repo_path)
        commit_of(repository, head)  # kept by a ref: without it, the repository is damaged and has no list
        if start is not None:
            commit_of_ref(repository, KEPT + start)  # as is this one
        ids = git_diffs.commits_between(repo_path, start, head)
        end = len(ids) if limit is None else offset + limit
        return git_diffs.read_commits(repo_path, ids[offset:end]), len(ids)

    return await asyncio.to_thread(read)


async def newest_commits(
    services: Services, repository: RepositoryRef, start: str | None, head: str, limit: int
) -> list[str]:
    """The ids of the newest commits that `head` has and `start` lacks."""
    repo_path = await repository.repo_path(services)
    return await asyncio.to_thread(lambda: git_diffs.commits_between(repo_path, start, head, limit))


async def raw_diffs(
    services: Services, repository: RepositoryRef, version: VersionRow | None
) -> AsyncGenerator[bytes] | bytes:
    """The whole patch of a version, as git writes it, without limits: it is never in memory."""
    if version is None or version.head_sha is None or version.base_sha is None:
        return b""
    return await git.begun(git_diffs.stream(await repository.repo_path(services), version.base_sha, version.head_sha))


async def mailed_patches(
    services: Services, repository: RepositoryRef, version: VersionRow | None
) -> AsyncGenerator[bytes] | bytes:
    """The commits of a version as mails that `git am` applies, the oldest first, without limits."""
    if version is None or version.head_sha is None or version.base_sha is None:
        return b""
    return await git.begun(
        git_diffs.stream_mails(await repository.repo_path(services), version.base_sha, version.head_sha)
    )


async def diffs(services: Services, repository: RepositoryRef, version: VersionRow | None) -> list[FileChange]:
    """The files that a version changes, up to the limits."""
    if version is None or version.head_sha is None or version.base_sha is None:
        return []
    repo_path = await repository.repo_path(services)
    return (await asyncio.to_thread(git_diffs.difference, repo_path, version.base_sha, version.head_sha)).files


async def store_pusher(tx: Tx, event: Event) -> None:
    """Remember whose push made the newest version of the request."""
    await tx.run(
        """UPDATE merge_request_versions SET pusher_id = :actor_id WHERE id = (
           SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = :id)""",
        id=event.subject_id,
        actor_id=event.actor_id,
    )


async def mark_followed(tx: Tx, version_id: int) -> bool:
    """Whether this call is the first for the version."""
    marked = await tx.run(
        "UPDATE merge_request_versions SET followed = TRUE WHERE id = :id AND NOT followed", id=version_id
    )
    return marked > 0


class OpenHead(Row, alias="mr"):
    """The head of an open merge request, in the repository of its project."""

    id: int
    iid: int
    project_id: int
    path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    sha: Annotated[str, "v.head_sha"]

    def repo_path(self, data: Path) -> Path:
        return RepositoryStorage.of(data, self.storage).repo_path(self.project_id)


_OPEN_HEADS: LiteralString = f"""SELECT {OpenHead.columns} FROM merge_requests mr JOIN {NEWEST_VERSION}
    JOIN projects p ON p.id = mr.project_id JOIN routes r ON r.project_id = p.id
    WHERE mr.id > :after AND mr.state = 'opened' AND v.head_sha IS NOT NULL AND p.deleted_at IS NULL
    ORDER BY mr.id LIMIT :limit"""


async def list_lost_heads(database: Database, data: Path) -> AsyncIterator[str]:
    """The references of open merge requests whose repository exists and lacks their head."""
    after = 0
    async with database.reading() as tx:
        while heads := await tx.rows(OpenHead, _OPEN_HEADS, after=after, limit=MAX_HEADS):
            for lost in await asyncio.to_thread(_lost, heads, data):
                yield f"{lost.path}!{lost.iid}"
            after = heads[-1].id


def _lost(heads: Sequence[OpenHead], data: Path) -> list[OpenHead]:
    # A repository that is gone as a whole is named by itself.
    stored = [(head, repo_path) for head in heads if ((repo_path := head.repo_path(data)) / "HEAD").exists()]
    return [head for head, repo_path in stored if not _has_commit(repo_path, head.sha)]


def _has_commit(repo_path: Path, id_: str) -> bool:
    """Whether the commit can be read; not if the repository cannot be opened."""
    try:
        return commit_at(opened(repo_path), id_) is not None
    except deferred_imports.pygit2().GitError:
        return False
