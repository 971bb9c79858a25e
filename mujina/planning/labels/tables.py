"""Labels of projects and of groups, with their order and subscribers."""

from mujina.kernel.db.schema import flag, identity, index, number, table, to, words

labels = table(
    "labels",
    identity(),
    to("project_id", "projects", null=True),
    to("group_id", "groups", null=True),
    words("title"),
    words("title_folded"),
    words("color"),
    words("description", null=True),
    words("created_at"),
    words("updated_at"),
    index("project_id", "title", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "title", unique=True, where="group_id IS NOT NULL"),
    index("title"),
)

issue_labels = table(
    "issue_labels",
    to("issue_id", "issues", key=True),
    to("label_id", "labels", key=True),
    index("label_id", "issue_id"),
)

# A project's own order of the labels it uses, its group's among them.
label_priorities = table(
    "label_priorities",
    to("project_id", "projects", key=True),
    to("label_id", "labels", key=True),
    number("priority"),
)

label_subscriptions = table(
    "label_subscriptions",
    to("label_id", "labels", key=True),
    to("user_id", "users", key=True),
    flag("subscribed"),
    index("user_id"),
)
