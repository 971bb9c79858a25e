"""Issues, the counts that triggers keep so that lists need not count rows, and the stored documents."""

from mujina.kernel.db.ddl import (
    Part,
    boolean,
    documents,
    foreign_key,
    index,
    integer,
    kept_count,
    kept_link_count,
    ordered_link_table,
    primary_key,
    search_index,
    table,
    text,
    timestamps,
)

issues = table(
    "issues",
    primary_key(),
    foreign_key("project_id", "projects"),
    integer("iid"),
    text("title"),
    text("title_folded"),
    text("description", null=True),
    text("description_folded", default=""),
    text("state", default="opened"),  # opened | closed
    boolean("confidential"),
    foreign_key("author_id", "users"),
    foreign_key("milestone_id", "milestones", null=True, on_delete="SET NULL"),
    integer("weight", null=True),
    text("due_on", null=True),
    boolean("discussion_locked"),
    integer("time_estimate", default=0),
    integer("total_time_spent", default=0),
    integer("user_notes_count", default=0),
    integer("task_count", default=0),  # lines of the description that are tasks
    integer("completed_task_count", default=0),
    foreign_key("moved_to_id", "issues", null=True, on_delete="SET NULL"),
    text("user_agent", null=True),
    text("ip_address", null=True),
    *timestamps(),
    text("closed_at", null=True),
    text("deleted_at", null=True),  # soft deletion: the row and its iid stay
    index("project_id", "iid", unique=True),
    # Lists find the ids of a page in these indexes alone, before they read rows.
    *(
        index(*columns, where="deleted_at IS NULL", name=f"ix_issues_{name}")
        for name, columns in {
            # With what lists are filtered by: to count those of an author or of a weight, no row is read. SQLite has to
            # find `deleted_at` here as well, though the index says that it is NULL.
            "in_project_by_creation": (
                "project_id",
                "created_at",
                "id",
                "state",
                "confidential",
                "author_id",
                "milestone_id",
                "weight",
                "deleted_at",
            ),
            "in_project_by_update": ("project_id", "updated_at", "id", "state", "confidential"),
            "by_creation": ("created_at", "id", "project_id", "state", "confidential"),
            "by_update": ("updated_at", "id", "project_id", "state", "confidential"),
            "of_author": ("author_id", "created_at", "id", "project_id", "state", "confidential"),
        }.items()
    ),
    index("author_id", where="confidential AND deleted_at IS NULL", name="ix_issues_confidential_of_author"),
    index(
        "milestone_id",
        "created_at",
        "id",
        "project_id",
        "state",
        "confidential",
        name="ix_issues_of_milestone",
        where="milestone_id IS NOT NULL AND deleted_at IS NULL",
    ),
    index("moved_to_id", where="moved_to_id IS NOT NULL"),  # a deleted row would look for references in all others
)

issue_texts = search_index(
    "issue_texts",
    "issues",
    integer("project_id"),
    integer("author_id"),
    text("state"),
    boolean("confidential"),
    text("created_at"),
    index("project_id"),
    texts=("title_folded", "description_folded"),
    unless="deleted_at IS NOT NULL",
)

issue_assignees = ordered_link_table("issue_assignees", "issue", "user")

kept_count("issue_counts", [issues.c.project_id, issues.c.state, issues.c.confidential], until="deleted_at")
for _name, _link in {
    "issue_author_counts": issues.c.author_id,
    "issue_milestone_counts": issues.c.milestone_id,
    "issue_assignee_counts": issue_assignees.c.user_id,
}.items():
    kept_link_count(_name, _link, issues, ["project_id", "state", "confidential"], until="deleted_at")

documents(
    "issue_documents",
    "issues",
    Part("issue_labels", "issue_id", columns=("label_id",)),
    Part("issue_assignees", "issue_id", columns=("user_id",)),
)
