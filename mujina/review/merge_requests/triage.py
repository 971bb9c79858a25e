"""Labels, assignees and reviewers of a merge request: a change replaces the whole set and returns (before, after)."""

from typing import Any, LiteralString

from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.owners import Owner
from mujina.planning.labels import operations as labels
from mujina.review.merge_requests.params import EditMergeRequest, MergeRequestChange
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS

Changes = dict[str, Any]


async def triage(tx: Tx, project: Owner, request_id: int, change: MergeRequestChange) -> Changes:
    """Apply what the request says about labels, assignees and reviewers."""
    changes = await _assign(tx, project, request_id, _requested_assignees(change))
    if change.reviewer_ids is not UNSET:
        changes |= await _review(tx, project, request_id, _people(change.reviewer_ids))
    return changes | await _relabel(tx, project, request_id, change)


def _people(ids: list[int] | None) -> list[int]:
    return [id_ for id_ in ids or [] if id_ > 0]


def _requested_assignees(change: MergeRequestChange) -> list[int] | None:
    """None if the request leaves the assignees alone."""
    if change.assignee_ids is not UNSET:
        return counted_assignees(_people(change.assignee_ids))
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None


async def _assign(tx: Tx, project: Owner, request_id: int, user_ids: list[int] | None) -> Changes:
    """Assign exactly those of these users who may read the requests of the project.

    Assignees whom the edition hides stay as long as the one it shows does.
    """
    if user_ids is None:
        return {}
    before: list[int] = await tx.values(
        "SELECT a.user_id FROM merge_request_assignees a WHERE a.merge_request_id = :id ORDER BY a.user_id",
        id=request_id,
    )
    after = await _who_may_read(tx, project, user_ids)
    if after == (shown := counted_assignees(before)):
        return {}
    await tx.run("DELETE FROM merge_request_assignees WHERE merge_request_id = :id", id=request_id)
    await tx.run_each(
        "INSERT INTO merge_request_assignees (merge_request_id, user_id) VALUES (:id, :user_id)",
        [{"id": request_id, "user_id": user_id} for user_id in after],
    )
    return {"assignee_ids": (shown, after)}


async def _review(tx: Tx, project: Owner, request_id: int, user_ids: list[int]) -> Changes:
    before: list[int] = await tx.values(
        "SELECT w.user_id FROM merge_request_reviewers w WHERE w.merge_request_id = :id ORDER BY w.user_id",
        id=request_id,
    )
    after = await _who_may_read(tx, project, user_ids)
    if before == after:
        return {}
    await tx.run("DELETE FROM merge_request_reviewers WHERE merge_request_id = :id", id=request_id)
    await tx.run_each(
        "INSERT INTO merge_request_reviewers (merge_request_id, user_id) VALUES (:id, :user_id)",
        [{"id": request_id, "user_id": user_id} for user_id in after],
    )
    return {"reviewer_ids": (before, after)}


_MAY_READ: LiteralString = f"""
    SELECT u.id FROM users u JOIN projects p ON p.id = :project_id
    WHERE u.id IN :user_ids AND u.deleted_at IS NULL AND {READ_MERGE_REQUESTS.of("u")} ORDER BY u.id"""


async def _who_may_read(tx: Tx, project: Owner, user_ids: list[int]) -> list[int]:
    if not user_ids:
        return []
    return await tx.values(_MAY_READ, project_id=project.id, user_ids=user_ids, today=clock.today())


async def _relabel(tx: Tx, project: Owner, request_id: int, change: MergeRequestChange) -> Changes:
    """Replace the labels, or add and remove some, as requested; new titles become labels of the project."""
    exactly = None if change.labels is UNSET else change.labels or []
    edit = change if isinstance(change, EditMergeRequest) else EditMergeRequest()
    added, removed = edit.add_labels or [], edit.remove_labels or []
    if exactly is None and not added and not removed:
        return {}
    labels.check_titles([*(exactly or []), *added])
    before: list[str] = await tx.values(_TITLES, id=request_id)
    kept = before if exactly is None else exactly
    after = sorted({title for title in [*kept, *added] if title not in removed})
    if before == after:
        return {}
    if new := [title for title in after if title not in before]:
        known = await labels.known(tx, project, new)
        await labels.create_missing(tx, project, [title for title in new if title not in known])
        known = await labels.known(tx, project, new)
        await tx.run_each(
            """INSERT INTO merge_request_labels (merge_request_id, label_id) VALUES (:id, :label_id)
               ON CONFLICT DO NOTHING""",
            [{"id": request_id, "label_id": label_id} for label_id in sorted(known.values())],
        )
    if obsolete := [title for title in before if title not in after]:
        await tx.run(
            """DELETE FROM merge_request_labels WHERE merge_request_id = :id
               AND label_id IN (SELECT l.id FROM labels l WHERE l.title IN :titles)""",
            id=request_id,
            titles=obsolete,
        )
    return {"labels": (before, after)}


_TITLES: LiteralString = """
    SELECT l.title FROM merge_request_labels ml JOIN labels l ON l.id = ml.label_id
    WHERE ml.merge_request_id = :id ORDER BY l.title"""
