"""Issues, and the totals that are kept with every change so that no list has to count."""

from mujina.kernel.db.schema import counted, flag, identity, index, number, searched, table, to, words

issues = table(
    "issues",
    identity(),
    to("project_id", "projects"),
    number("iid"),
    words("title"),
    words("title_folded"),
    words("description", null=True),
    words("description_folded", default=""),
    words("state", default="opened"),  # opened | closed
    flag("confidential"),
    to("author_id", "users"),
    to("milestone_id", "milestones", null=True, gone="SET NULL"),
    number("weight", null=True),
    words("due_on", null=True),
    flag("discussion_locked"),
    number("time_estimate", default=0),
    number("total_time_spent", default=0),
    number("user_notes_count", default=0),
    to("moved_to_id", "issues", null=True, gone="SET NULL"),
    words("user_agent", null=True),
    words("ip_address", null=True),
    words("created_at"),
    words("updated_at"),
    words("closed_at", null=True),
    words("deleted_at", null=True),  # soft: the row and its iid stay, unseen
    index("project_id", "iid", unique=True),
    # A page of a list is found in these alone, before a row is fetched.
    *(
        index(*columns, "state", "confidential", where="deleted_at IS NULL", name=f"ix_issues_{name}")
        for name, columns in {
            "in_project_by_creation": ("project_id", "created_at", "id"),
            "in_project_by_update": ("project_id", "updated_at", "id"),
            "by_creation": ("created_at", "id", "project_id"),
            "by_update": ("updated_at", "id", "project_id"),
            "of_author": ("author_id", "created_at", "id", "project_id"),
        }.items()
    ),
    index("author_id", where="confidential AND deleted_at IS NULL", name="ix_issues_confidential_of_author"),
    index("milestone_id", "state", where="milestone_id IS NOT NULL AND deleted_at IS NULL"),
)

issue_texts = searched(
    "issue_texts",
    "issues",
    number("project_id"),
    number("author_id"),
    words("state"),
    flag("confidential"),
    words("created_at"),
    index("project_id"),
    texts=("title_folded", "description_folded"),
    unless="deleted_at IS NOT NULL",
)

issue_assignees = table(
    "issue_assignees",
    to("issue_id", "issues", key=True),
    to("user_id", "users", key=True),
    index("user_id", "issue_id"),
)

counted("issue_counts", issues, "project_id", "state", "confidential", until="deleted_at")
