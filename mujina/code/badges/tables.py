"""Badges: linked pictures on the home page of a project, or of every project below a group."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

badges = table(
    "badges",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("name", null=True),
    text("link_url"),  # with placeholders, as is the next
    text("image_url"),
    *timestamps(),
    index("project_id", "id", where="project_id IS NOT NULL"),
    index("group_id", "id", where="group_id IS NOT NULL"),
)
