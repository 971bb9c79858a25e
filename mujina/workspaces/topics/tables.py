"""Topics of projects. `tag_list` of a project says which ones it has; the links follow it in the same transaction."""

from mujina.kernel.db.ddl import (
    boolean,
    index,
    kept_link_count,
    link_table,
    primary_key,
    table,
    text,
    timestamps,
)
from mujina.workspaces.projects.tables import projects

topics = table(
    "topics",
    primary_key(),
    text("name"),
    text("name_folded"),
    text("title"),
    text("description", null=True),
    text("avatar", null=True),  # the file name in its address
    text("avatar_key", null=True),  # the key in the storage of files
    boolean("curated"),  # written by an administrator: everyone may see it, whatever projects have it
    *timestamps(),
    index("name", unique=True),
)
project_topics = link_table("project_topics", "project", "topic", index("topic_id", "project_id"))
kept_link_count("topic_counts", project_topics.c.topic_id, projects, ["visibility"], until="deleted_at")
