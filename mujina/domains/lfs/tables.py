"""Large files kept beside repositories, and who is working on which."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

lfs_objects = table(
    "lfs_objects",
    identity(),
    words("oid"),  # SHA-256 of the content, which is in storage under that name
    number("size"),
    words("created_at"),
    index("oid", unique=True),
)

# Having uploaded an object is the only way to have it: knowing its digest is not enough.
lfs_links = table(
    "lfs_links",
    to("project_id", "projects", key=True),
    to("object_id", "lfs_objects", key=True),
    words("created_at"),
    index("object_id"),
)

lfs_locks = table(
    "lfs_locks",
    identity(),
    to("project_id", "projects"),
    words("path"),
    to("user_id", "users"),
    words("locked_at"),
    index("project_id", "path", unique=True),
    index("user_id"),
)
