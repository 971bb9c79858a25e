"""Labels of projects and of groups, with their priorities and subscribers."""

from mujina.kernel.db.ddl import (
    boolean,
    foreign_key,
    index,
    integer,
    kept_link_count,
    link_table,
    ordered_link_table,
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

issue_labels = ordered_link_table("issue_labels", "issue", "label")

kept_link_count(
    "issue_label_counts", issue_labels.c.label_id, issues, ["project_id", "state", "confidential"], until="deleted_at"
)

# The priorities that a project gives to labels, its own and those of groups above.
label_priorities = link_table("label_priorities", "project", "label", integer("priority"))

label_subscriptions = link_table("label_subscriptions", "label", "user", boolean("subscribed"), index("user_id"))
