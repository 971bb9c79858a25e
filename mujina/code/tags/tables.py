"""Releases: descriptions of tags."""

from mujina.kernel.db.ddl import foreign_key, table, text, timestamps

releases = table(
    "releases",
    foreign_key("project_id", "projects", key=True),
    text("tag", key=True),
    text("description"),
    *timestamps(),
)
