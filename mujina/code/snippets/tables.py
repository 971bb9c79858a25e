"""Snippets of users and projects."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

snippets = table(
    "snippets",
    primary_key(),
    foreign_key("project_id", "projects", null=True),  # NULL: a user's own
    foreign_key("author_id", "users"),
    text("title"),
    text("title_folded"),
    text("file_name"),
    text("file_name_folded"),
    text("content"),
    text("content_folded"),
    text("description", null=True),
    text("visibility"),
    text("user_agent", null=True),
    text("ip_address", null=True),
    *timestamps(),
    index("author_id", "id", where="project_id IS NULL"),
    index("visibility", "id", where="project_id IS NULL"),
    index("project_id", "id", where="project_id IS NOT NULL"),
    index("author_id", "project_id"),
)

# The files behind the first, whose name and content the snippet itself has. What is searched for is there for all of them.
snippet_files = table(
    "snippet_files",
    primary_key(),
    foreign_key("snippet_id", "snippets"),
    text("path"),
    text("content"),
    index("snippet_id", "path", unique=True),
)
