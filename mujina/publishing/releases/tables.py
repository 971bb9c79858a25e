"""What belongs to a release beside its row: links to assets, milestones, and the stored document."""

from mujina.kernel.db.ddl import (
    Part,
    documents,
    foreign_key,
    index,
    link_table,
    primary_key,
    shown_in_documents,
    table,
    text,
    timestamps,
)

release_links = table(
    "release_links",
    primary_key(),
    foreign_key("release_id", "releases"),
    text("name"),
    text("url"),
    text("filepath", null=True),  # starts with a slash: the permanent address of the asset below that of its release
    text("link_type", default="other"),  # other | runbook | image | package
    *timestamps(),
    index("release_id", "name", unique=True),
    index("release_id", "url", unique=True),
    index("release_id", "filepath", unique=True, where="filepath IS NOT NULL"),
)

release_milestones = link_table("release_milestones", "release", "milestone", index("milestone_id"))

documents(
    "release_documents", "releases", Part("release_links", "release_id"), Part("release_milestones", "release_id")
)
# Sources are named after the project. An import, which moves tags without an event, ends with the first default branch.
shown_in_documents("projects", "path", "default_branch", project="id")
