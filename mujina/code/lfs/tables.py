"""LFS objects and locks."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

lfs_objects = table(
    "lfs_objects",
    primary_key(),
    text("oid"),  # SHA-256 of the content
    integer("size"),
    text("file"),  # name of the file in storage, never used twice
    text("created_at"),
    index("oid", unique=True),
)

# A project has an object only after an upload: knowing its digest is not enough.
lfs_links = table(
    "lfs_links",
    foreign_key("project_id", "projects", key=True),
    foreign_key("object_id", "lfs_objects", key=True),
    text("created_at"),
    index("object_id"),
)

lfs_locks = table(
    "lfs_locks",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("path"),
    foreign_key("user_id", "users"),
    text("locked_at"),
    index("project_id", "path", unique=True),
    index("user_id"),
)
