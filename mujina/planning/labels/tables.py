"""Labels of projects and of groups, with their priorities and subscribers."""

from mujina.kernel.db.schema import (
    boolean,
    foreign_key,
    index,
    integer,
    kept_assignments,
    primary_key,
    shown_in_documents,
    table,
    text,
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
    text("created_at"),
    text("updated_at"),
    index("project_id", "title", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "title", unique=True, where="group_id IS NOT NULL"),
    index("title"),
)

shown_in_documents("labels", "title", project="project_id")

issue_labels = table(
    "issue_labels",
    foreign_key("issue_id", "issues", key=True),
    foreign_key("label_id", "labels", key=True),
    index("label_id", "issue_id"),
)

kept_assignments(
    "issue_label_counts", issue_labels, "label_id", issues, "issue_id", "project_id", "state", "confidential",
    until="deleted_at",
)  # fmt: skip

# The priorities that a project gives to labels, its own and those of groups above.
label_priorities = table(
    "label_priorities",
    foreign_key("project_id", "projects", key=True),
    foreign_key("label_id", "labels", key=True),
    integer("priority"),
)

label_subscriptions = table(
    "label_subscriptions",
    foreign_key("label_id", "labels", key=True),
    foreign_key("user_id", "users", key=True),
    boolean("subscribed"),
    index("user_id"),
)
