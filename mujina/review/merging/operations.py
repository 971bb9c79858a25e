"""Whether a merge request can be merged, and merging it.

A merge takes the path of every push: the request names the new commit, the ref moves, and the record of the push says
that the request is merged. If the process dies in between, the recovery of the push finishes both or neither.
"""

import asyncio
import contextlib
from typing import Annotated

from mujina.adapters import git_merging, git_refs
from mujina.code.commits.operations import Signer
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.access import AccessDenied, find_repository
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.code.pushes.operations import Push, PushRejected, move_refs
from mujina.kernel import errors
from mujina.kernel.actor import ALL_SCOPES, Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import UNSET, Ref
from mujina.kernel.services import Services
from mujina.review.automatic_merges import operations as automatic_merges
from mujina.review.closing.operations import closing_sentence
from mujina.review.merge_requests import operations as merge_requests
from mujina.review.merge_requests.head_pipelines import ACTIVE, PIPELINE_STATUS, allows_merging
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import MergeRequestRow, blocked_by_discussions
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.versions import operations as versions

CANNOT_BE_MERGED = "Branch cannot be merged"


class MergeableRow(Row, alias="mr"):
    """What decides whether and how a request is merged, with its newest version (`v`) and its author (`u`)."""

    title: str
    state: str
    draft: bool
    squash: bool
    force_remove_source_branch: bool
    merge_status: str
    checked_pair: str
    version_state: Annotated[str, "v.state"]
    head_sha: Annotated[str | None, "v.head_sha"]
    start_sha: Annotated[str | None, "v.start_sha"]
    author_id: int
    author_name: Annotated[str, "u.name"]
    author_email: Annotated[str, "u.email"]
    pipeline_must_succeed: Annotated[bool, "p.only_allow_merge_if_pipeline_succeeds"]
    pipeline_status: Annotated[str, PIPELINE_STATUS]
    blocked_by_discussions: Annotated[bool, blocked_by_discussions]


async def find_mergeable(tx: Tx, request_id: int) -> MergeableRow:
    row = await tx.row(
        MergeableRow,
        f"""SELECT {MergeableRow.columns} FROM merge_requests mr JOIN users u ON u.id = mr.author_id
            JOIN projects p ON p.id = mr.project_id
            JOIN merge_request_versions v ON v.id = (
                SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)
            WHERE mr.id = :id""",
        id=request_id,
    )
    if row is None:
        raise errors.not_found("Merge Request")
    return row


async def check(services: Services, request: MergeRequestRow) -> None:
    """Compute `merge_status` for the commits as they are, unless it is known for these."""
    async with services.database.reading() as tx:
        row = await find_mergeable(tx, request.id)
    if row.state != "opened":
        return
    place = await repository_of(request).place(services)
    tip = versions.tip(place, request.target_branch)
    pair = f"{row.head_sha}:{tip}"
    if row.merge_status != "unchecked" and row.checked_pair == pair:
        return
    mergeable = False
    if row.version_state != "empty" and row.head_sha is not None and tip is not None:
        mergeable = await asyncio.to_thread(git_merging.is_mergeable, place, tip, row.head_sha)
    async with services.database.transaction() as tx:
        await merge_requests.store_status(tx, request.id, row.head_sha, pair, mergeable=mergeable)


async def merge(services: Services, actor: Actor, request: MergeRequestRow, change: MergeMergeRequest) -> None:
    """Merge the head of the request into its target branch; the first reason against it is the error."""
    async with services.database.reading() as tx:
        row = await find_mergeable(tx, request.id)
        committer = Signer(actor.name, await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=actor.id))
        closing = await closing_sentence(tx, actor, request.id)
    if row.state != "opened" or row.draft:
        raise errors.not_now()
    target = repository_of(request)
    place = await target.place(services)
    tip, source_tip = versions.tip(place, request.target_branch), await _source_tip(services, request)
    head = row.head_sha
    if row.version_state == "empty" or head is None or tip is None or source_tip is None:
        raise errors.not_now()
    waits = change.automatic and row.pipeline_status in ACTIVE
    demanded = row.pipeline_must_succeed or change.automatic
    if demanded and not waits and not allows_merging(row.pipeline_status):
        raise errors.not_now()
    if row.blocked_by_discussions:
        raise errors.not_now()
    mergeable = await asyncio.to_thread(git_merging.is_mergeable, place, tip, head)
    if not mergeable:
        raise errors.NotAcceptable({"message": CANNOT_BE_MERGED})
    if change.sha is not UNSET and change.sha != head:
        raise errors.conflict(f"SHA does not match HEAD of source branch: {head}")
    if waits:
        async with services.database.transaction() as tx:
            await automatic_merges.enable(tx, actor, request, head, change)
        return
    squash = await _squash(services, request, row, tip, change)
    message = change.merge_commit_message or _message(request, row, closing)
    commit, squash_commit = await asyncio.to_thread(git_merging.merge, place, tip, head, message, committer, squash)
    async with services.database.transaction() as tx:
        await merge_requests.start_merge(tx, request.id, commit, squash_commit)
    await _move(services, actor, request, Change(BRANCHES + request.target_branch, tip, commit))
    await _remove_source(services, actor, request, row, change)


async def _source_tip(services: Services, request: MergeRequestRow) -> str | None:
    source = merge_requests.branches_of(request).source
    return None if source is None else versions.tip(await source.place(services), request.source_branch)


async def _squash(
    services: Services, request: MergeRequestRow, row: MergeableRow, tip: str, change: MergeMergeRequest
) -> tuple[str, Signer] | None:
    """Message and author of the squashed commit; None if the request is not squashed, or has one commit."""
    wanted = row.squash if change.squash is UNSET else change.squash
    if not wanted or row.head_sha is None:
        return None
    if await versions.count(services, repository_of(request), tip, row.head_sha) < 2:
        return None
    return change.squash_commit_message or row.title, Signer(row.author_name, row.author_email)


def _message(request: MergeRequestRow, row: MergeableRow, closing: str | None) -> str:
    parts = (
        f"Merge branch '{request.source_branch}' into '{request.target_branch}'",
        row.title,
        closing,
        f"See merge request {request.full_path}!{request.iid}",
    )
    return "\n\n".join(part for part in parts if part is not None)


async def _move(services: Services, actor: Actor, request: MergeRequestRow, change: Change) -> None:
    """Move the target branch, checked and recorded like any push; a moved branch is tried again by the route."""
    try:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, actor, Ref.of(request.project_id), "receive-pack")
        await Push(services, actor, repository, protocol="web", merging=True).move([change])
    except AccessDenied:
        raise errors.unauthorized() from None
    except PushRejected as rejected:
        async with services.database.transaction() as tx:
            await merge_requests.fail_merge(tx, request.id, str(rejected))
        raise errors.NotAcceptable({"message": str(rejected)}) from None
    except git_refs.RefMoved:
        raise errors.Overtaken from None


async def _remove_source(
    services: Services, actor: Actor, request: MergeRequestRow, row: MergeableRow, change: MergeMergeRequest
) -> None:
    """Delete the source branch if that is wanted and possible; otherwise it stays."""
    forced = change.should_remove_source_branch is UNSET and row.force_remove_source_branch
    source_id, head = request.source_project_id, row.head_sha
    if source_id is None or head is None or not (forced or change.should_remove_source_branch is True):
        return
    async with services.database.reading() as tx:
        remover = await _author(tx, row.author_id) if forced else actor
        protected = await protections(tx, remover, source_id, 0)
    if any(protection.covers(request.source_branch) for protection in protected):
        return
    with contextlib.suppress(errors.ApiError):
        await move_refs(services, remover, source_id, [Change(BRANCHES + request.source_branch, head, ZERO)])


async def _author(tx: Tx, user_id: int) -> Actor:
    """The author of a request, who asked for the removal when they wrote it."""
    name, admin, external = await tx.row(
        tuple[str, bool, bool], "SELECT u.name, u.admin, u.external FROM users u WHERE u.id = :id", id=user_id
    ) or ("", False, True)
    return Actor(id=user_id, name=name, admin=admin, external=external, scopes=ALL_SCOPES)
