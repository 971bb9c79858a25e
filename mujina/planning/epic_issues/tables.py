"""The issues of epics: an issue is in one epic at most."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table

epic_issues = table(
    "epic_issues",
    primary_key(),
    foreign_key("epic_id", "epics"),
    foreign_key("issue_id", "issues"),
    # The project of the issue, so that the issues of an epic are counted by project in one index.
    foreign_key("project_id", "projects"),
    integer("relative_position"),  # of any value: only the order counts
    index("issue_id", unique=True),
    index("epic_id", "relative_position", "id", "project_id", "issue_id"),
    index("epic_id", "project_id"),
    index("project_id"),
)
