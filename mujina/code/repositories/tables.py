"""Pushes, and what a project's repository amounts to."""

from mujina.kernel.db.schema import boolean, foreign_key, index, integer, primary_key, table, text

# Written before the first ref moves. While `recorded_at` is NULL nobody was told that it succeeded.
pushes = table(
    "pushes",
    primary_key(),
    foreign_key("project_id", "projects"),
    boolean("wiki"),
    foreign_key("actor_id", "users", null=True, on_delete="SET NULL"),
    text("protocol"),  # http | ssh | web | mirror
    text("created_at"),
    text("recorded_at", null=True),
    index("project_id", "id"),
    index("actor_id", where="actor_id IS NOT NULL"),
)

push_refs = table(
    "push_refs",
    foreign_key("push_id", "pushes", key=True),
    text("ref", key=True),
    text("old_id"),  # forty zeros: the ref did not exist
    text("new_id"),  # forty zeros: it is deleted
)

# When somebody last asked for a repository to be put in order: nobody does again for a day.
housekeeping = table(
    "housekeeping",
    foreign_key("project_id", "projects", key=True),
    text("started_at"),
)

# Measured after each push.
project_statistics = table(
    "project_statistics",
    foreign_key("project_id", "projects", key=True),
    integer("commit_count", default=0),  # on the default branch
    integer("repository_size", default=0),  # bytes, as the others
    integer("lfs_objects_size", default=0),
    text("updated_at"),
)
