"""Issues as work items."""

from typing import Final, LiteralString

from mujina.planning.issues.rules import assignee, author
from mujina.planning.subscriptions.participation import subscribed
from mujina.planning.work_items.kinds import WorkItemKind
from mujina.workspaces.projects.rules import READ_PROJECT

ISSUES: Final = WorkItemKind(
    name="issue", noun="issue", table="issues", key="issue_id", labels="issue_labels", assignees="issue_assignees",
    assignable=READ_PROJECT, confidential="item.confidential", present="item.deleted_at IS NULL",
)  # fmt: skip

SUBSCRIBED: LiteralString = subscribed("issue", "i.id", (author | assignee).for_row)
"""Whether the actor is subscribed to the issue `i`."""
