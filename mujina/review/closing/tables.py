"""Which issues a merge request closes when it is merged."""

from mujina.kernel.db.ddl import foreign_key, index, integer, table

# By number: the issue may be created after the request that names it. Issues that the author of the request could not
# read when the request was last changed are left out. The target branch is not considered here: only requests into the
# default branch close issues.
merge_request_closing_issues = table(
    "merge_request_closing_issues",
    foreign_key("merge_request_id", "merge_requests", key=True),
    integer("iid", key=True),  # of an issue of the same project
    foreign_key("project_id", "projects"),
    index("project_id", "iid"),
)
