"""Merges and rebases under way, and the merge status, as they are stored in the row of a merge request."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.review.merge_requests.operations import lock
from mujina.review.versions.operations import newest_head

RETARGETED = "The target branch has changed in the meantime. Please try again."


async def store_status(tx: Tx, request_id: int, head: str | None, pair: str, *, mergeable: bool, behind: bool) -> bool:
    """Store whether the request can be merged, unless its head has changed; `updated_at` stays. Whether it was stored."""
    stored = await tx.run(
        """
        UPDATE merge_requests SET merge_status = :status, checked_pair = :pair, behind = :behind,
            conflicting = conflicting AND NOT CAST(:mergeable AS boolean)
        WHERE id = :id AND state = 'opened'
        AND :head IS NOT DISTINCT FROM (SELECT v.head_sha FROM merge_request_versions v
            WHERE v.merge_request_id = merge_requests.id ORDER BY v.id DESC LIMIT 1)
        """,
        id=request_id, head=head, pair=pair, behind=behind, mergeable=mergeable,
        status="can_be_merged" if mergeable else "cannot_be_merged",
    )  # fmt: skip
    return stored > 0


async def uncheck_all(tx: Tx, project_id: int) -> None:
    """Whether the open requests of the project can be merged is found out again when they are read or merged."""
    await tx.run(
        "UPDATE merge_requests SET merge_status = 'unchecked', checked_pair = '' WHERE project_id = :id AND state = 'opened'",
        id=project_id,
    )


async def store_conflict(tx: Tx, request_id: int, project_id: int, author_id: int) -> None:
    """Record that the request has a conflict, unless it had one before."""
    if await tx.run("UPDATE merge_requests SET conflicting = TRUE WHERE id = :id AND NOT conflicting", id=request_id):
        # No user did this: it is a matter of the author's request.
        author = Actor(id=author_id)
        await record(tx, "merge_request.conflicted", author, subject_id=request_id, project_id=project_id)


class Merge(msgspec.Struct, frozen=True):
    """A merge that is about to move the target branch."""

    head: str
    """The commits to merge."""
    target_branch: str
    tip: str
    """Where the branch goes: once it is there, the request is merged."""
    squashed: str | None
    remover_id: int | None
    """The user who removes the source branch afterward; None: it stays."""
    squash: bool
    waited: bool
    """It waited for a pipeline: then canceling the automatic merge stops it too."""


async def start_merge(request_id: int, merge: Merge, tx: Tx, push_id: int) -> None:
    """Lock the request until this push is recorded or given up: its head and its target branch stay as they are.

    405 if it is no longer open, or being merged; `BranchMoved` if its head has changed, 409 if its target branch has.
    """
    before = await lock(tx, request_id)
    if before.state != "opened" or before.merging or (merge.waited and not before.merge_when_pipeline_succeeds):
        raise errors.not_now()
    if before.target_branch != merge.target_branch:
        raise errors.conflict(RETARGETED)
    # By a statement of its own: it sees what was committed while this one waited for the lock.
    if await newest_head(tx, request_id) != merge.head:
        raise errors.BranchMoved
    columns = {
        "merging_push_id": push_id, "merging_sha": merge.tip, "merging_squash_sha": merge.squashed,
        "remover_id": merge.remover_id, "squash": merge.squash, "merge_error": None,
    }  # fmt: skip
    await update(tx, "merge_requests", columns, id=request_id)


async def fail_merge(tx: Tx, request_id: int, reason: str) -> None:
    """The request stays open and says why."""
    await update(tx, "merge_requests", {"merge_error": reason}, id=request_id)


async def start_rebase(tx: Tx, request_id: int, actor_id: int) -> None:
    """The actor asked for a rebase."""
    await update(tx, "merge_requests", {"rebaser_id": actor_id, "merge_error": None}, id=request_id)


async def store_rebase(request_id: int, head: str, tx: Tx, _push_id: int) -> None:
    """The head that a rebase makes: approvals are for what a request changes, which a rebase does not alter."""
    await update(tx, "merge_requests", {"rebase_sha": head}, id=request_id)
