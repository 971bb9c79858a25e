"""Merge requests as work items."""

from typing import Final, LiteralString

from mujina.planning.subscriptions.participation import subscribed
from mujina.planning.work_items.kinds import WorkItemKind
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS, assignee, author

REVIEWERS: Final[LiteralString] = "merge_request_reviewers"

MERGE_REQUESTS: Final = WorkItemKind(
    name="merge_request", noun="merge request", table="merge_requests", key="merge_request_id",
    labels="merge_request_labels", assignees="merge_request_assignees", reviewers=REVIEWERS,
    assignable=READ_MERGE_REQUESTS,
)  # fmt: skip

SUBSCRIBED: LiteralString = subscribed("merge_request", "mr.id", (author | assignee).for_row)
"""Whether the actor is subscribed to the request `mr`."""
