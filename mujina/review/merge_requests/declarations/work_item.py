"""Merge requests as work items."""

from typing import Final, LiteralString

from mujina.planning.work_items.kinds import WorkItemKind
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS

REVIEWERS: Final[LiteralString] = "merge_request_reviewers"

MERGE_REQUESTS: Final = WorkItemKind(
    name="merge_request", noun="merge request", table="merge_requests", key="merge_request_id",
    labels="merge_request_labels", assignees="merge_request_assignees", reviewers=REVIEWERS,
    assignable=READ_MERGE_REQUESTS,
)  # fmt: skip
