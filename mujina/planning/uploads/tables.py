"""Files that belong to a project's texts: kept in the store of files, found by their secret."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

uploads = table(
    "uploads",
    identity(),
    to("project_id", "projects"),
    words("secret"),  # 32 hexadecimal digits: the folder of the address, and the name in the store
    words("name"),
    number("size"),  # bytes
    to("author_id", "users", null=True, gone="SET NULL"),
    words("created_at"),
    index("secret", "project_id", unique=True),  # a file goes along with a text that moves, and is kept once
    index("project_id", "id"),
    index("author_id", where="author_id IS NOT NULL"),
)
