"""Large files kept beside repositories, and who is working on which."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

lfs_objects = table(
    "lfs_objects",
    identity(),
    words("oid"),  # SHA-256 of the content
    number("size"),
    words("file"),  # where the content is in storage: under a name that was never given before
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

# Files in storage that no object calls its own: being uploaded, or to be removed.
lfs_leftovers = table(
    "lfs_leftovers",
    words("file", key=True),
    words("due_at"),  # removed after this
    index("due_at"),
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
