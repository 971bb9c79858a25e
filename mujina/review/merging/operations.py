"""Whether a merge request can be merged, and merging it.

A merge takes the path of every push: the request names the new commit, the ref moves, and the record of the push says
that the request is merged. If the process dies in between, the recovery of the push finishes both or neither.
"""

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.writing import merging as git_merging
from mujina.adapters.git.writing.merging import Merged, Squash
from mujina.adapters.git.writing.tree_merges import MergeConflict
from mujina.code.code_owners.parsing import Owned
from mujina.code.commits.operations import Signer, signer_of
from mujina.code.lfs import operations as lfs
from mujina.code.pushes.access import AccessDenied, find_repository
from mujina.code.pushes.changes import BRANCHES, Change
from mujina.code.pushes.operations import Push, PushRejected
from mujina.code.pushes.repository_lock import retry_on_branch_moved
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import FULL, NO_ACCESS, READ_ONLY, storage_problem
from mujina.review.approvals.approvers import NOT_APPROVED
from mujina.review.automatic_merges import operations as automatic_merges
from mujina.review.closing.operations import closing_sentence
from mujina.review.merge_requests import operations as merge_requests
from mujina.review.merge_requests.branches.merges import Merge, fail_merge, start_merge, store_conflict, store_status
from mujina.review.merge_requests.head_pipelines import (
    ACTIVE,
    PIPELINE_STATUS,
    allows_merging,
    with_due_pipelines,
)
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import MergeRequestRow, blocked_by_discussions
from mujina.review.merge_requests.views.merge_request import BROKEN, DocumentView
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.owner_approvals import operations as owner_approvals
from mujina.review.owner_approvals.conditions import AWAITS_OWNERS
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import KEPT, RepositoryRef
from mujina.review.versions.rules import NEWEST_VERSION

CANNOT_BE_MERGED = "Branch cannot be merged"
NOT_MERGEABLE = "Merge request is not mergeable"
MAX_CHECKED: Final = 100
"""The number of requests that are merged on trial after a push."""
MAX_CONFLICTS: Final = 50
"""Files in conflict that are named."""


class LostRace(errors.BranchMoved):
    """The target branch, or the head of the request, moved before this merge could."""

    code = 406


class MergeableRow(Row, alias="mr"):
    """The facts that decide whether and how a request is merged, with its newest version (`v`) and its author (`u`)."""

    id: int
    project_id: int
    storage: Annotated[str, "p.repository_storage"]
    target_branch: str
    title: str
    state: str
    draft: bool
    squash: bool
    merge_method: Annotated[str, "p.merge_method"]
    merging: Annotated[bool, "(mr.merging_push_id IS NOT NULL)"]
    """The server is merging it."""
    force_remove_source_branch: bool
    merge_status: str
    checked_pair: str
    behind: bool
    """Whether the source lacked the tip of the target, when that was checked."""
    broken: Annotated[bool, BROKEN]
    head_sha: Annotated[str | None, "v.head_sha"]
    author_id: int
    author_name: Annotated[str, "u.name"]
    author_email: Annotated[str, "u.email"]
    pipeline_must_succeed: Annotated[bool, "p.only_allow_merge_if_pipeline_succeeds"]
    pipeline_status: Annotated[str, PIPELINE_STATUS]
    pipeline_due: bool
    """Whether another pipeline of the head is about to be made."""
    blocked_by_discussions: Annotated[bool, blocked_by_discussions]
    not_approved: Annotated[bool, NOT_APPROVED]
    awaits_owners: Annotated[bool, AWAITS_OWNERS]
    """As of the commits that were last checked."""


async def find_mergeable(tx: Tx, request_id: int) -> MergeableRow:
    row = await tx.row(
        MergeableRow,
        f"""SELECT {MergeableRow.columns} FROM {with_due_pipelines(tx.product)} mr JOIN users u ON u.id = mr.author_id
            JOIN projects p ON p.id = mr.project_id
            JOIN {NEWEST_VERSION}
            WHERE mr.id = :id""",
        id=request_id,
        today=clock.today(),
    )
    return errors.or_not_found(row, "Merge Request")


class Mergeability(msgspec.Struct, frozen=True):
    """Whether two commits can be merged."""

    clean: bool
    """No conflict, and something to merge."""
    behind: bool
    """The source lacks commits of the target."""

    def allows(self, method: str) -> bool:
        """Whether a project with this method merges them: without a merge of its own, the source must be up to date."""
        return self.clean and (method == "merge" or not self.behind)


async def is_checked(services: Services, request: DocumentView) -> bool:
    """Whether `merge_status` is that of the commits as they are."""
    if request.state != "opened":
        return True
    repo_path = await RepositoryRef(request.project_id, request.storage).repo_path(services)
    pair = f"{request.head_sha}:{versions.tip(repo_path, request.target_branch)}"
    return request.merge_status != "unchecked" and request.checked_pair == pair


async def check(services: Services, request_id: int) -> None:
    """Compute `merge_status` for the commits as they are, unless it is known for these."""
    async with services.database.reading() as tx:
        row = await find_mergeable(tx, request_id)
    if row.state == "opened":
        repo_path = await RepositoryRef(row.project_id, row.storage).repo_path(services)
        await _checked(services, row, repo_path, versions.tip(repo_path, row.target_branch))


async def check_for_reader(services: Services, request_id: int) -> None:
    """As `check`; while the storage takes nothing, readers get the status that is stored, and nothing can be merged."""
    try:
        await check(services, request_id)
    except Exception as error:
        if storage_problem(error) not in (FULL, READ_ONLY, NO_ACCESS):
            raise


async def check_all(services: Services, project_id: int) -> None:
    """Compute `merge_status` of the newest open requests of the project that lack it; others get it when they are read."""
    async with services.database.reading() as tx:
        unchecked: list[int] = await tx.values(
            """SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
               WHERE mr.project_id = :project_id AND mr.state = 'opened' AND mr.merge_status = 'unchecked'
               AND p.deleted_at IS NULL ORDER BY mr.id DESC LIMIT :max_checked""",
            project_id=project_id,
            max_checked=MAX_CHECKED,
        )
    for request_id in unchecked:
        with contextlib.suppress(errors.NotFound):  # deleted meanwhile
            await check(services, request_id)


async def _checked(services: Services, row: MergeableRow, repo_path: Path, tip: str | None) -> Mergeability:
    """Whether the head can be merged into this tip: as it was stored for these two commits, or else computed."""
    head, pair = row.head_sha, f"{row.head_sha}:{tip}"
    if row.merge_status != "unchecked" and row.checked_pair == pair:
        return Mergeability(row.merge_status == "can_be_merged", row.behind)
    found, comparable = Mergeability(clean=False, behind=False), False
    owned: list[Owned] = []
    if not row.broken and head is not None and tip is not None:
        comparable = True
        clean = await asyncio.to_thread(git_merging.is_mergeable, repo_path, tip, head)
        found = Mergeability(clean, await versions.diverged(repo_path, head, tip) > 0)
        owned = await owner_approvals.find_owned(repo_path, tip, head)
    async with services.database.transaction() as tx:
        stored = await store_status(tx, row.id, head, pair, mergeable=found.clean, behind=found.behind)
        if stored:
            await owner_approvals.store(tx, row.id, row.project_id, row.target_branch, owned)
        if stored and comparable and not found.clean:
            await store_conflict(tx, row.id, row.project_id, row.author_id)
    return found


async def conflicts(services: Services, request: MergeRequestRow, head: str | None) -> list[str]:
    """The paths of the first files in conflict; none if it is not known which."""
    repo_path = await repository_of(request).repo_path(services)
    tip = versions.tip(repo_path, request.target_branch)
    if head is None or tip is None:
        return []
    return await asyncio.to_thread(git_merging.conflicting_files, repo_path, tip, head, MAX_CONFLICTS)


async def merge(
    services: Services, actor: Actor, request: MergeRequestRow, change: MergeMergeRequest, *, waited: bool = False
) -> None:
    """Merge the head of the request into its target branch; the first reason against it is the error.

    If the target moves meanwhile, the merge is tried on its new tip. `waited`: unless the automatic merge was canceled.
    """
    await retry_on_branch_moved(lambda: _merge(services, actor, request, change, waited=waited))


async def _merge(
    services: Services, actor: Actor, request: MergeRequestRow, change: MergeMergeRequest, *, waited: bool
) -> None:
    async with services.database.reading() as tx:
        row = await find_mergeable(tx, request.id)
    if row.state != "opened" or row.merging or row.draft:
        raise errors.not_now()
    repo_path = await repository_of(request).repo_path(services)
    tip, source = versions.tip(repo_path, request.target_branch), await source_tip(services, request)
    head = row.head_sha
    if row.broken or head is None or tip is None or source is None:
        raise errors.not_now()
    waits = change.automatic and row.pipeline_status in ACTIVE
    demanded = row.pipeline_must_succeed or change.automatic
    if demanded and not waits and (row.pipeline_due or not allows_merging(row.pipeline_status)):
        raise errors.not_now()
    if row.blocked_by_discussions:
        raise errors.not_now()
    if row.not_approved or not (await _checked(services, row, repo_path, tip)).allows(row.merge_method):
        raise errors.NotAcceptable({"message": CANNOT_BE_MERGED})
    async with services.database.reading() as tx:  # once more: the check may have found other owners
        if (await find_mergeable(tx, request.id)).awaits_owners:
            raise errors.NotAcceptable({"message": CANNOT_BE_MERGED})
    if change.sha is not UNSET and change.sha != head:
        raise errors.conflict(f"SHA does not match HEAD of source branch: {head}")
    if waits:
        async with services.database.transaction() as tx:
            await automatic_merges.enable(tx, actor, request, head, change)
        return
    merged = await _commit(services, actor, request, row, tip, change)
    wanted = Merge(
        head, request.target_branch, merged.tip, merged.squashed, remover_id=_remover(actor, row, change),
        squash=row.squash if change.squash is UNSET else change.squash, waited=waited,
    )  # fmt: skip
    await _move(services, actor, request, Change(BRANCHES + request.target_branch, tip, merged.tip), wanted)
    await _keep(repo_path, request.iid, head, merged)


async def _keep(repo_path: Path, iid: int, head: str, merged: Merged) -> None:
    """Keep the commits of a merge even if the branch is moved back; the merge is valid without it.

    A push during the merge may have published another head.
    """
    refs = {KEPT + sha: sha for sha in (merged.tip, merged.squashed) if sha is not None}
    with contextlib.suppress(git.GitCommandError):
        await git_refs.set_refs(repo_path, {**refs, versions.head_ref(iid): head})


async def _commit(
    services: Services, actor: Actor, request: MergeRequestRow, row: MergeableRow, tip: str, change: MergeMergeRequest
) -> Merged:
    """The commits of this merge, as the method of the project says; no ref points to them yet."""
    async with services.database.reading() as tx:
        committer = await signer_of(tx, actor)
        closing = await closing_sentence(tx, actor, request.id)
    repo_path, head = await repository_of(request).repo_path(services), row.head_sha or ""
    squash = await _squash(services, request, row, tip, change)
    message = None if row.merge_method == "ff" else change.merge_commit_message or _message(request, row, closing)
    try:
        return await asyncio.to_thread(
            git_merging.merge, repo_path, tip, head, committer, message=message, squash=squash
        )
    except MergeConflict:
        raise errors.NotAcceptable({"message": CANNOT_BE_MERGED}) from None


async def create_trial_merge(services: Services, actor: Actor, request: MergeRequestRow) -> str:
    """The commit that merging the request would make now, under a ref of its own; 400 if it cannot be merged."""
    async with services.database.reading() as tx:
        row = await find_mergeable(tx, request.id)
        committer = await signer_of(tx, actor)
    repo_path = await repository_of(request).repo_path(services)
    tip, head = versions.tip(repo_path, request.target_branch), row.head_sha
    if row.state != "opened" or row.broken or head is None or tip is None:
        raise errors.bad_request(NOT_MERGEABLE)
    ref = f"refs/merge-requests/{request.iid}/merge"
    known = git_merging.merge_at(repo_path, ref, [tip, head])
    if known is not None:
        return known
    message = f"Merge {head} into {tip}"
    try:
        made = await asyncio.to_thread(git_merging.merge, repo_path, tip, head, committer, message=message, squash=None)
    except MergeConflict:
        raise errors.bad_request(NOT_MERGEABLE) from None
    await git_refs.set_refs(repo_path, {ref: made.tip})
    return made.tip


async def source_tip(services: Services, request: MergeRequestRow) -> str | None:
    """The commit of the source branch; None if the branch or its project is gone."""
    source = merge_requests.branches_of(request).source
    return None if source is None else versions.tip(await source.repo_path(services), request.source_branch)


async def _squash(
    services: Services, request: MergeRequestRow, row: MergeableRow, tip: str, change: MergeMergeRequest
) -> Squash | None:
    """The squashed commit; None if the request is not squashed, or has one commit."""
    wanted = row.squash if change.squash is UNSET else change.squash
    if not wanted or row.head_sha is None:
        return None
    if await versions.count(services, repository_of(request), tip, row.head_sha) < 2:
        return None
    return Squash(change.squash_commit_message or row.title, Signer(row.author_name, row.author_email))


def _message(request: MergeRequestRow, row: MergeableRow, closing: str | None) -> str:
    parts = (
        f"Merge branch '{request.source_branch}' into '{request.target_branch}'",
        row.title,
        closing,
        f"See merge request {request.full_path}!{request.iid}",
    )
    return "\n\n".join(part for part in parts if part is not None)


async def _move(services: Services, actor: Actor, request: MergeRequestRow, change: Change, wanted: Merge) -> None:
    """Move the target branch, checked and recorded like any push; the record of the push also ends the request."""
    try:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, actor, Ref.of(request.project_id), "receive-pack")
        if request.source_project_id not in (None, request.project_id):
            repo_path = await repository_of(request).repo_path(services)
            await lfs.link_new(services, request.source_project_id, request.project_id, repo_path, [change.new])
        push = Push(services, actor, repository, protocol="web", merging=True)
        await push.move([change], partial(start_merge, request.id, wanted))
    except AccessDenied:
        raise errors.unauthorized() from None
    except PushRejected as rejected:
        async with services.database.transaction() as tx:
            await fail_merge(tx, request.id, str(rejected))
        raise errors.NotAcceptable({"message": str(rejected)}) from None
    except (git_refs.RefMoved, errors.BranchMoved):
        raise LostRace from None


def _remover(actor: Actor, row: MergeableRow, change: MergeMergeRequest) -> int | None:
    """The user who removes the source branch: the author if they asked for it in the request; None if it stays."""
    if change.should_remove_source_branch is UNSET:
        return row.author_id if row.force_remove_source_branch else None
    return actor.id if change.should_remove_source_branch else None
