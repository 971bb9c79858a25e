"""Automatic merges: a merge request that is merged as soon as its pipeline succeeds.

A user who may merge enables it. The transaction that stores the success of the pipeline enqueues the job that merges, so
neither a restart nor a lost process loses it.
"""

from typing import LiteralString

from mujina.code.pushes.changes import BRANCHES
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.planning.todos import operations as todos
from mujina.review.merge_requests.head_pipelines import ACTIVE, HEAD_PIPELINE
from mujina.review.merge_requests.operations import lock, store_columns
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.versions.rules import NEWEST_VERSION

NOT_ENABLED = "Can't cancel the automatic merge"

_CLEARED: dict[str, Value] = {
    "merge_when_pipeline_succeeds": False, "merge_user_id": None, "should_remove_source_branch": None,
    "merge_commit_message": None, "squash_commit_message": None,
}  # fmt: skip


def may_cancel(actor: Actor, request: MergeRequestRow, *, can_merge: bool) -> bool:
    """Users who may merge, and the author."""
    return can_merge or (not actor.anonymous and request.author_id == actor.id and not request.archived)


async def enable(tx: Tx, actor: Actor, request: MergeRequestRow, head: str, change: MergeMergeRequest) -> None:
    """Merge this head once its pipeline succeeds; `BranchMoved` if the pipeline is decided by now, or the head moved."""
    # A pipeline changes under its lock, and one of statuses is made under that of its project: either finds this
    # request, or this finds its status.
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR NO KEY UPDATE", id=request.source_project_id or 0)
    await tx.values(
        """SELECT pl.id FROM pipelines pl WHERE pl.project_id = :project_id AND pl.ref = :branch AND pl.sha = :sha
           ORDER BY pl.id FOR UPDATE""",
        project_id=request.source_project_id or 0,
        branch=request.source_branch,
        sha=head,
    )
    before = await lock(tx, request.id)
    if before.state != "opened":
        raise errors.not_now()
    found = await tx.row(
        tuple[str | None, str],
        f"""SELECT v.head_sha, coalesce((SELECT pl.status FROM pipelines pl WHERE pl.id = {HEAD_PIPELINE}), '')
            FROM merge_requests mr JOIN {NEWEST_VERSION}
            WHERE mr.id = :id""",
        id=request.id,
    )
    if found is None or found[0] != head or found[1] not in ACTIVE:
        raise errors.BranchMoved
    columns: dict[str, Value] = {
        "merge_when_pipeline_succeeds": True,
        "merge_user_id": actor.id,
        "should_remove_source_branch": _given(change.should_remove_source_branch),
        "merge_commit_message": _given(change.merge_commit_message),
        "squash_commit_message": _given(change.squash_commit_message),
    }
    if change.squash is not UNSET:
        columns["squash"] = change.squash
    await store_columns(tx, request.id, columns)
    if not before.merge_when_pipeline_succeeds:
        await record(
            tx, "merge_request.automatic_merge_enabled", actor, subject_id=request.id, project_id=request.project_id,
            changes={"sha": head},
        )  # fmt: skip


def _given(value: str | bool | Unset) -> Value:
    if isinstance(value, bool):
        return int(value)
    return value or None


async def cancel(tx: Tx, actor: Actor, request: MergeRequestRow) -> None:
    """Do not merge automatically any more; 405 if the request is not open, 406 if that was not enabled."""
    before = await lock(tx, request.id)
    if before.state != "opened" or before.merging:
        raise errors.not_now()
    if not before.merge_when_pipeline_succeeds:
        raise errors.NotAcceptable({"message": NOT_ENABLED})
    await store_columns(tx, request.id, _CLEARED)
    await record(
        tx, "merge_request.automatic_merge_canceled", actor, subject_id=request.id, project_id=request.project_id
    )


async def enqueue_automatic_merges(tx: Tx, event: Event) -> None:
    """A pipeline changed its status: merge the requests that waited for its success."""
    if event.changes["status"][1] != "success":
        return
    for request_id in sorted(await _find_waiting(tx, event.project_id, event.changes["ref"]), key=str):
        await enqueue(tx, "merge_requests.merge_automatically", request_id)


async def _find_waiting(tx: Tx, project_id: int | None, branch: str) -> list[int]:
    """The open requests from this branch that are merged automatically."""
    return await tx.values(
        """SELECT mr.id FROM merge_requests mr WHERE mr.source_project_id = :project_id AND mr.source_branch = :branch
           AND mr.state = 'opened' AND mr.merge_when_pipeline_succeeds ORDER BY mr.id""",
        project_id=project_id,
        branch=branch,
    )


async def clear_after_push(tx: Tx, event: Event) -> None:
    """New commits on the source branch have not been approved by the user who enabled the automatic merge."""
    ref: str = event.changes["ref"]
    if ref.startswith(BRANCHES):
        for request_id in await _find_waiting(tx, event.project_id, ref.removeprefix(BRANCHES)):
            await store_columns(tx, request_id, _CLEARED)


async def clear_after_version(tx: Tx, event: Event) -> None:
    """Clears the automatic merge in the transaction: one enabled since the push was read saw the former head."""
    before, after = event.changes["sha"]
    waits: LiteralString = "SELECT mr.id FROM merge_requests mr WHERE mr.id = :id AND mr.merge_when_pipeline_succeeds"
    if before != after and await tx.value(waits, id=event.subject_id) is not None:
        await store_columns(tx, event.subject_id, _CLEARED)


async def clear_after_edit(tx: Tx, event: Event) -> None:
    """A closed request is not merged automatically, nor one that was given another target."""
    if event.kind == "merge_request.closed" or "target_branch" in event.changes:
        await store_columns(tx, event.subject_id, _CLEARED)


async def note_automatic_merge(tx: Tx, event: Event) -> None:
    """A system note about enabling or canceling."""
    body = "canceled the automatic merge"
    if event.kind == "merge_request.automatic_merge_enabled":
        body = f"enabled an automatic merge when the pipeline for {event.changes['sha']} succeeds"
    await notes.add_system(tx, event, NoteTarget("merge_request", event.subject_id, event.project_id), [body])


async def add_unmergeable_todo(tx: Tx, event: Event) -> None:
    """A todo for the user who enabled the automatic merge, which was not possible."""
    user_ids = [] if event.actor_id is None else [event.actor_id]
    await todos.add(tx, event, user_ids, "unmergeable", "merge_request", event.subject_id)
