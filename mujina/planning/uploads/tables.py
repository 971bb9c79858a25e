"""Files that belong to a project's texts: kept in the store of files, found by their secret."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

uploads = table(
    "uploads",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("secret"),  # 32 hexadecimal digits: the folder of the address, and the name in the store
    text("name"),
    integer("size"),  # bytes
    foreign_key("author_id", "users", null=True, on_delete="SET NULL"),
    text("created_at"),
    index("secret", "project_id", unique=True),  # a file goes along with a text that moves, and is kept once
    index("project_id", "id"),
    index("author_id", where="author_id IS NOT NULL"),
)
