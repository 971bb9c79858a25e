"""Files that are attached to texts of a project; the file store has their content."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

uploads = table(
    "uploads",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("secret"),  # 32 hexadecimal digits: part of the URL, and the key in the store
    text("name"),
    integer("size"),  # bytes
    foreign_key("author_id", "users", null=True, on_delete="SET NULL"),
    text("created_at"),
    index("secret", "project_id", unique=True),  # projects share a file when a text is moved
    index("project_id", "id"),
    index("author_id", where="author_id IS NOT NULL"),
)
