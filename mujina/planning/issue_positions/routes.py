"""The order that people give the issues of a project."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import put
from mujina.planning.issue_positions import operations
from mujina.planning.issue_positions.params import ReorderIssue
from mujina.planning.issues import entities
from mujina.planning.issues.rules import UPDATE_ISSUE, find_issue
from mujina.planning.issues.views.issue import Issue


@put("/projects/:id/issues/:issue_iid/reorder")
async def reorder_issue(call: Call, id: Ref, issue_iid: int, change: ReorderIssue) -> Issue:
    """Place an issue beside another in the order `relative_position`."""
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=UPDATE_ISSUE)
        await operations.reorder(tx, call.actor, issue, change)
        return await entities.load_one(tx, call.actor, issue.id)
