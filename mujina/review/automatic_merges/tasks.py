"""Merging a merge request whose pipeline has succeeded."""

from datetime import timedelta
from typing import Annotated, Final

from mujina.accounts.users.rules import find_active_actor
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import Actor
from mujina.review.merge_requests.head_pipelines import PIPELINE_STATUS
from mujina.review.merge_requests.rules import MergeRequestRow, find_merge_request, may_merge
from mujina.review.merging import operations as merging
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.versions.rules import NEWEST_VERSION

RETRY_DELAY: Final = timedelta(seconds=5)
"""The wait for a merge under way, or a pipeline that is due. The recovery of its push ends a merge whose process died."""


class WaitingMergeRequest(Row, alias="mr"):
    """An open request that waits for its pipeline, with its newest version (`v`)."""

    id: int
    project_id: int
    iid: int
    merge_user_id: int | None
    should_remove_source_branch: bool | None
    merge_commit_message: str | None
    squash_commit_message: str | None
    head_sha: Annotated[str | None, "v.head_sha"]
    pipeline_status: Annotated[str, PIPELINE_STATUS]
    merging: Annotated[bool, "(mr.merging_push_id IS NOT NULL)"]
    """The server is merging it."""

    @property
    def change(self) -> MergeMergeRequest:
        """The choices of the user who enabled the automatic merge."""
        return MergeMergeRequest(
            merge_commit_message=self.merge_commit_message or UNSET,
            squash_commit_message=self.squash_commit_message or UNSET,
            should_remove_source_branch=UNSET
            if self.should_remove_source_branch is None
            else self.should_remove_source_branch,
            sha=self.head_sha or "",
        )


@task("merge_requests.merge_automatically")
async def merge_automatically(run: Run, key: str) -> None:
    """If its pipeline has succeeded, the request is merged with the rights that its user has now, once."""
    async with run.database.reading() as tx:
        waiting = await _find_waiting(tx, int(key))
        allowed = None
        if waiting is not None and waiting.pipeline_status == "success":
            allowed = await _find_allowed(tx, waiting)
    if waiting is None or allowed is None:
        return
    actor, request = allowed
    try:
        await merging.merge(run.services, actor, request, waiting.change, waited=True)
    except errors.BranchMoved:
        raise  # the target branch kept moving: the job is tried again
    except errors.ApiError as refusal:
        async with run.database.transaction() as tx:
            await _record_refusal(tx, actor, waiting, refusal)


async def _record_refusal(tx: Tx, actor: Actor, refused: WaitingMergeRequest, refusal: errors.ApiError) -> None:
    """The request stays open, unless a merge under way ends it."""
    waiting = await _find_waiting(tx, refused.id)
    if waiting is None or waiting.head_sha != refused.head_sha:
        return
    if waiting.merging or (await merging.find_mergeable(tx, waiting.id)).pipeline_due:
        await enqueue(tx, "merge_requests.merge_automatically", waiting.id, after=RETRY_DELAY)
        return
    await record(
        tx, "merge_request.automatic_merge_failed", actor, subject_id=waiting.id, project_id=waiting.project_id,
        changes={"reason": refusal.sentences},
    )  # fmt: skip


async def _find_waiting(tx: Tx, request_id: int) -> WaitingMergeRequest | None:
    return await tx.row(
        WaitingMergeRequest,
        f"""SELECT {WaitingMergeRequest.columns} FROM merge_requests mr JOIN {NEWEST_VERSION}
            WHERE mr.id = :id AND mr.state = 'opened' AND mr.merge_when_pipeline_succeeds""",
        id=request_id,
    )


async def _find_allowed(tx: Tx, waiting: WaitingMergeRequest) -> tuple[Actor, MergeRequestRow] | None:
    """The user who enabled the automatic merge, and the request as they find it; None if they may not merge any more."""
    actor = await find_active_actor(tx, waiting.merge_user_id or 0)
    if actor is None:
        return None
    try:
        request = await find_merge_request(tx, actor, Ref.of(waiting.project_id), waiting.iid)
    except errors.ApiError:
        return None
    return (actor, request) if await may_merge(tx, actor, request) else None
