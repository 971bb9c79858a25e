"""Approvals of merge requests, and who is named to give them: per project, or per request in place of those."""

from mujina.kernel.db.ddl import index, link_table, text

approvals = link_table("approvals", "merge_request", "user", text("created_at"), index("user_id", "merge_request_id"))

project_approvers = link_table("project_approvers", "project", "user", index("user_id"))

project_approver_groups = link_table("project_approver_groups", "project", "group", index("group_id"))

merge_request_approvers = link_table("merge_request_approvers", "merge_request", "user", index("user_id"))

merge_request_approver_groups = link_table("merge_request_approver_groups", "merge_request", "group", index("group_id"))
