"""Bots: the users of the access tokens and deploy tokens of projects and groups."""

from mujina.kernel.db.ddl import foreign_key, index, table

bots = table(
    "bots",
    foreign_key("user_id", "users", key=True),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    foreign_key("created_by_id", "users", null=True, on_delete="SET NULL"),
    index("project_id", where="project_id IS NOT NULL"),
    index("group_id", where="group_id IS NOT NULL"),
    index("created_by_id"),
)
