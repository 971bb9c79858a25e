"""Pieces of text that people keep by themselves or in a project."""

from mujina.kernel.db.schema import identity, index, table, to, words

snippets = table(
    "snippets",
    identity(),
    to("project_id", "projects", null=True),  # NULL: a person's own
    to("author_id", "users"),
    words("title"),
    words("title_folded"),
    words("file_name"),
    words("file_name_folded"),
    words("content"),
    words("content_folded"),
    words("description", null=True),
    words("visibility"),
    words("user_agent", null=True),
    words("ip_address", null=True),
    words("created_at"),
    words("updated_at"),
    index("author_id", "id", where="project_id IS NULL"),
    index("visibility", "id", where="project_id IS NULL"),
    index("project_id", "id", where="project_id IS NOT NULL"),
    index("author_id", "project_id"),
)
