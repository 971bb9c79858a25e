"""Labels, assignees and reviewers of a merge request."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.planning.assignments.operations import Changes, assign, replace_people
from mujina.planning.assignments.params import requested_assignees
from mujina.planning.labels.operations import relabel
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS, REVIEWERS
from mujina.review.merge_requests.params import EditMergeRequest, MergeRequestChange
from mujina.workspaces.owners.rules import Owner


async def triage(tx: Tx, project: Owner, request_id: int, change: MergeRequestChange) -> Changes:
    """Apply what the request says about labels, assignees and reviewers. Field → (before, after)."""
    changes = await assign(tx, MERGE_REQUESTS, project.id, request_id, requested_assignees(change))
    if change.reviewer_ids is not UNSET:
        user_ids = [id_ for id_ in change.reviewer_ids or [] if id_ > 0]
        before, after = await replace_people(tx, MERGE_REQUESTS, REVIEWERS, project.id, request_id, user_ids)
        if before != after:
            changes["reviewer_ids"] = (before, after)
    edit = change if isinstance(change, EditMergeRequest) else EditMergeRequest(labels=change.labels)
    return changes | await relabel(tx, MERGE_REQUESTS, project, request_id, edit)
