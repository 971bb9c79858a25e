"""Milestones of projects and of groups."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, shown_in_documents, table, text, timestamps

milestones = table(
    "milestones",
    primary_key(),
    integer("iid"),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("title"),
    text("title_folded"),
    text("description", null=True),
    text("description_folded", default=""),
    text("state", default="active"),  # active | closed
    text("start_on", null=True),
    text("due_on", null=True),
    *timestamps(),
    text("closed_at", null=True),
    index("project_id", "iid", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "iid", unique=True, where="group_id IS NOT NULL"),
    index("project_id", "title", unique=True, where="project_id IS NOT NULL"),
    index("group_id", "title", unique=True, where="group_id IS NOT NULL"),
    index("title"),
)

shown_in_documents(
    "milestones", "iid", "project_id", "group_id", "title", "description", "state", "start_on", "due_on", "created_at",
    "updated_at", project="project_id",
)  # fmt: skip
# The milestones of a group are shown with its path.
shown_in_documents(
    "routes",
    "path",
    projects="""SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
        WHERE t.ancestor_id = OLD.namespace_id
        AND EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = OLD.namespace_id)""",
)
