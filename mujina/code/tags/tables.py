"""Releases: what is published with a tag. The routes of tags and of releases write the same rows."""

from mujina.kernel.db.ddl import foreign_key, index, kept_count, primary_key, table, text, timestamps

releases = table(
    "releases",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("tag"),
    text("name", null=True),  # NULL: that of the tag
    text("description"),
    foreign_key("author_id", "users", null=True, on_delete="SET NULL"),
    text("released_at"),
    *timestamps(),
    index("project_id", "tag", unique=True),
    index("project_id", "released_at", "id"),
    index("project_id", "created_at", "id"),
    index("released_at", "id"),
    index("author_id"),
)

kept_count("release_counts", [releases.c.project_id])
