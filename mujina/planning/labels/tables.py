"""Labels of projects and of groups, with their priorities and subscribers."""

from mujina.kernel.db.schema.declarations import (
    Counted,
    boolean,
    foreign_key,
    index,
    integer,
    kept_count,
    link_table,
    primary_key,
    shown_in_documents,
    table,
    text,
    timestamps,
)
from mujina.planning.issues.tables import issues

labels = table(
    "labels",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("title"),
    text("title_folded"),
    text("color"),
    text("description", null=True),
    *timestamps(),
    index("project_id", "title", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "title", unique=True, where="group_id IS NOT NULL"),
    index("title"),
)

shown_in_documents("labels", "title", project="project_id")

issue_labels = link_table("issue_labels", "issue", "label", index("label_id", "issue_id"))

kept_count(
    "issue_label_counts",
    [issue_labels.c.label_id, issues.c.project_id, issues.c.state, issues.c.confidential],
    Counted(
        table="issue_labels",
        by=lambda row: [f"{row}.label_id", "i.project_id", "i.state", "i.confidential"],
        source=lambda _: "issues i",
        where=lambda row: f"i.id = {row}.issue_id AND i.deleted_at IS NULL{row.lock('FOR SHARE')}",
    ),
    Counted(
        table="issues",
        by=lambda row: ["il.label_id", f"{row}.project_id", f"{row}.state", f"{row}.confidential"],
        source=lambda _: "issue_labels il",
        where=lambda row: f"il.issue_id = {row}.id AND {row}.deleted_at IS NULL",
        on_insert=False,
        on_update=["project_id", "state", "confidential", "deleted_at"],
    ),
)

# The priorities that a project gives to labels, its own and those of groups above.
label_priorities = link_table("label_priorities", "project", "label", integer("priority"))

label_subscriptions = link_table("label_subscriptions", "label", "user", boolean("subscribed"), index("user_id"))
