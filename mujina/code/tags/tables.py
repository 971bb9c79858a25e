"""What people wrote about a tag."""

from mujina.kernel.db.schema import table, to, words

releases = table(
    "releases",
    to("project_id", "projects", key=True),
    words("tag", key=True),
    words("description"),
    words("created_at"),
    words("updated_at"),
)
