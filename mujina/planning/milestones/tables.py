"""Milestones of projects and of groups."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

milestones = table(
    "milestones",
    identity(),
    number("iid"),
    to("project_id", "projects", null=True),
    to("group_id", "groups", null=True),
    words("title"),
    words("title_folded"),
    words("description", null=True),
    words("description_folded", default=""),
    words("state", default="active"),  # active | closed
    words("start_on", null=True),
    words("due_on", null=True),
    words("created_at"),
    words("updated_at"),
    words("closed_at", null=True),
    index("project_id", "iid", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "iid", unique=True, where="group_id IS NOT NULL"),
    index("project_id", "title", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "title", unique=True, where="group_id IS NOT NULL"),
    index("title"),
)
