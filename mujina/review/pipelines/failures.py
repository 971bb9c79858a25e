"""A failed job or status of the head of a merge request: a todo for its author, until it is repeated."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.planning.subscriptions.participation import who_may_read
from mujina.planning.todos import operations as todos
from mujina.review.versions.rules import NEWEST_VERSION


class BuiltMergeRequest(Row, alias="mr"):
    """An open request whose head a status is about."""

    id: int
    project_id: int
    author_id: int
    merge_user_id: Annotated[int | None, "CASE WHEN mr.merge_when_pipeline_succeeds THEN mr.merge_user_id END"]


async def follow_status(tx: Tx, event: Event) -> None:
    """Record that a build of these requests failed; a new report ends the todos about the former one."""
    failed, retries = event.changes["state"][1] == "failed", event.changes.get("retries", (None, False))[1]
    if not event.changes["tag"][1]:
        await _follow(tx, event, event.changes["ref"][1], event.changes["sha"][1], failed=failed, retries=retries)


async def follow_job(tx: Tx, event: Event) -> None:
    """Record that a job failed that may not fail and is not repeated; repeating it ends the todos."""
    changes = event.changes
    failed = changes["status"][1] == "failed" and not changes["allow_failure"] and not changes["repeated"]
    if not changes["tag"]:
        await _follow(tx, event, changes["ref"], changes["sha"], failed=failed, retries=changes["retries"])


async def _follow(tx: Tx, event: Event, ref: str, sha: str, *, failed: bool, retries: bool) -> None:
    if not failed and not retries:
        return
    requests = await tx.rows(
        BuiltMergeRequest,
        f"""SELECT {BuiltMergeRequest.columns} FROM merge_requests mr JOIN {NEWEST_VERSION}
            WHERE mr.source_project_id = :project_id AND mr.source_branch = :ref AND mr.state = 'opened'
            AND v.head_sha = :sha ORDER BY mr.id""",
        project_id=event.project_id,
        ref=ref,
        sha=sha,
    )
    for request in requests:
        user_ids = [request.author_id, *([request.merge_user_id] if request.merge_user_id else [])]
        if retries:
            await todos.finish_action(tx, user_ids, "build_failed", "merge_request", request.id)
        if failed:
            await record(
                tx, "merge_request.build_failed", event.actor, subject_id=request.id, project_id=request.project_id,
                changes={"user_ids": user_ids},
            )  # fmt: skip


async def add_build_failed_todos(tx: Tx, event: Event) -> None:
    """A todo for the author, and for the user who enabled the automatic merge."""
    readers = await who_may_read(tx, "merge_request", event.subject_id, event.changes["user_ids"])
    await todos.add(tx, event, readers, "build_failed", "merge_request", event.subject_id)
