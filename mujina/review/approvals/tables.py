"""Approvals of merge requests, and who is named to give them: per project, or per request in place of those."""

from mujina.kernel.db.schema import foreign_key, index, table, text

approvals = table(
    "approvals",
    foreign_key("merge_request_id", "merge_requests", key=True),
    foreign_key("user_id", "users", key=True),
    text("created_at"),
    index("user_id", "merge_request_id"),
)

project_approvers = table(
    "project_approvers",
    foreign_key("project_id", "projects", key=True),
    foreign_key("user_id", "users", key=True),
    index("user_id"),
)

project_approver_groups = table(
    "project_approver_groups",
    foreign_key("project_id", "projects", key=True),
    foreign_key("group_id", "groups", key=True),
    index("group_id"),
)

merge_request_approvers = table(
    "merge_request_approvers",
    foreign_key("merge_request_id", "merge_requests", key=True),
    foreign_key("user_id", "users", key=True),
    index("user_id"),
)

merge_request_approver_groups = table(
    "merge_request_approver_groups",
    foreign_key("merge_request_id", "merge_requests", key=True),
    foreign_key("group_id", "groups", key=True),
    index("group_id"),
)
