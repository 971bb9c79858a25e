"""Which issues a merge request closes when it is merged."""

from mujina.kernel.db.schema import foreign_key, index, table

# As the author of the request could read them when the request was last changed. The target branch is not considered
# here: only requests into the default branch close issues.
merge_request_closing_issues = table(
    "merge_request_closing_issues",
    foreign_key("merge_request_id", "merge_requests", key=True),
    foreign_key("issue_id", "issues", key=True),
    index("issue_id", "merge_request_id"),
)
