"""Rebasing the source branch of a merge request onto its target: a job, because it may take long."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated, Final, LiteralString

from mujina.accounts.users.rules import find_active_actor
from mujina.adapters.git import git, refs
from mujina.adapters.git.reading import diffs
from mujina.adapters.git.transport import copying
from mujina.adapters.git.writing import merging
from mujina.adapters.git.writing.tree_merges import MergeConflict
from mujina.code.commits.operations import Signer, signer_of
from mujina.code.lfs import operations as lfs
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.access import AccessDenied, RepositoryRow, find_repository
from mujina.code.pushes.changes import BRANCHES, Change
from mujina.code.pushes.collaboration import collaboration_branches
from mujina.code.pushes.operations import Push, PushRejected
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.review.merge_requests.branches.merges import fail_merge, start_rebase, store_rebase
from mujina.review.merge_requests.operations import lock
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import KEPT, RepositoryRef

FAILED: Final = "Rebase failed. Please rebase locally"
NO_BRANCH: Final = "Source branch does not exist"
NO_PUSH: Final = "Cannot push to source branch"
PROTECTED: Final = "Source branch is protected from force push"
RUNNING: Final = "A rebase is already in progress"
MAX_COMMITS: Final = 1_000
"""Branches with more commits are rebased by their authors."""

REBASING: LiteralString = """EXISTS (
    SELECT 1 FROM jobs job WHERE job.task = 'merge_requests.rebase' AND job.key = CAST(mr.id AS text)
    AND job.parked_at IS NULL)"""


async def is_rebasing(tx: Tx, request_id: int) -> bool:
    """Whether a rebase of the request is under way."""
    return bool(await tx.value(f"SELECT 1 FROM merge_requests mr WHERE mr.id = :id AND {REBASING}", id=request_id))


async def request_rebase(tx: Tx, actor: Actor, request: MergeRequestRow) -> None:
    """Enqueue a rebase on behalf of the actor; 405 if the request is not open, 403 if they may not, 409 if one runs."""
    if request.archived:
        raise errors.forbidden()
    before = await lock(tx, request.id)
    if before.state != "opened" or before.merging:
        raise errors.not_now()
    if request.source_project_id is None:
        raise errors.forbidden(NO_BRANCH)
    try:
        await _check_right(tx, actor, request.source_project_id, request.source_branch)
    except AccessDenied:
        raise errors.forbidden(NO_PUSH) from None
    if await is_rebasing(tx, request.id):
        raise errors.conflict(RUNNING)
    await enqueue(tx, "merge_requests.rebase", request.id, owner_id=actor.id)
    await start_rebase(tx, request.id, actor.id)


async def may_rebase(tx: Tx, actor: Actor, request: MergeRequestRow) -> bool:
    """Whether the actor may ask for a rebase of the source branch."""
    if actor.anonymous or request.archived or request.source_project_id is None:
        return False
    try:
        await _check_right(tx, actor, request.source_project_id, request.source_branch)
    except (AccessDenied, errors.ApiError):
        return False
    return True


async def _check_right(tx: Tx, actor: Actor, project_id: int, branch: str) -> None:
    """A rebase moves the branch to commits that do not contain its old tip, which no protection allows."""
    repository = await find_repository(tx, actor, Ref.of(project_id), "receive-pack")
    if any(protection.covers(branch) for protection in await protections(tx, actor, project_id, repository.level)):
        raise errors.forbidden(PROTECTED)
    if not repository.member and branch not in await collaboration_branches(tx, actor, project_id):
        raise errors.forbidden(NO_PUSH)


class RebaseRow(Row, alias="mr"):
    """An open request that is rebased."""

    id: int
    rebaser_id: int
    source_branch: str
    target_branch: str
    project_id: int
    storage: Annotated[str, "p.repository_storage"]
    source_project_id: int
    source_storage: Annotated[str, "src.repository_storage"]

    @property
    def source(self) -> RepositoryRef:
        return RepositoryRef(self.source_project_id, self.source_storage)

    @property
    def target(self) -> RepositoryRef:
        return RepositoryRef(self.project_id, self.storage)


async def rebase(services: Services, request_id: int) -> None:
    """Put the commits of the source branch on top of the target branch, or store why that failed."""
    async with services.database.reading() as tx:
        row = await tx.row(
            RebaseRow,
            f"""SELECT {RebaseRow.columns} FROM merge_requests mr
                JOIN projects p ON p.id = mr.project_id AND p.deleted_at IS NULL
                JOIN projects src ON src.id = mr.source_project_id AND src.deleted_at IS NULL
                WHERE mr.id = :id AND mr.state = 'opened' AND mr.rebaser_id IS NOT NULL""",
            id=request_id,
        )
        actor = None if row is None else await find_active_actor(tx, row.rebaser_id)
        if row is None or actor is None:
            return
        signer = await signer_of(tx, actor)
    problem = await _rebase(services, actor, row, signer)
    if problem is not None:
        async with services.database.transaction() as tx:
            await fail_merge(tx, row.id, problem)


async def _rebase(services: Services, actor: Actor, row: RebaseRow, signer: Signer) -> str | None:
    """Why the rebase failed; None if the branch is on top of the target."""
    source, target = await row.source.repo_path(services), await row.target.repo_path(services)
    head, onto = versions.tip(source, row.source_branch), versions.tip(target, row.target_branch)
    if head is None or onto is None:
        return FAILED
    try:
        if source != target:
            await copying.fetch_commit(target, source, onto, KEPT + onto)
        new = await asyncio.to_thread(_rebased, source, head, onto, signer)
        if new in (None, head):
            return None
        if source != target:
            await lfs.link_new(services, row.project_id, row.source_project_id, source, [new])
        await _move(services, actor, row, Change(BRANCHES + row.source_branch, head, new))
    except (MergeConflict, git.GitCommandError, refs.RefMoved, AccessDenied):
        return FAILED
    except PushRejected as rejected:
        return str(rejected)
    return None


def _rebased(repo_path: Path, head: str, onto: str, committer: Signer) -> str | None:
    """The rebased head; None if the head contains the target already."""
    if not diffs.commits_between(repo_path, head, onto, 1):
        return None
    commits = diffs.commits_between(repo_path, onto, head, MAX_COMMITS + 1, merges=False)
    if len(commits) > MAX_COMMITS:
        raise MergeConflict
    return merging.rebase(repo_path, commits[::-1], onto, committer)


async def _move(services: Services, actor: Actor, row: RebaseRow, change: Change) -> None:
    async with services.database.reading() as tx:
        repository: RepositoryRow = await find_repository(tx, actor, Ref.of(row.source_project_id), "receive-pack")
    push = Push(services, actor, repository, protocol="web")
    await push.move([change], partial(store_rebase, row.id, change.new))
