"""Pushes, and what a project's repository amounts to."""

from mujina.kernel.db.schema import flag, identity, index, number, table, to, words

# Written before the first ref moves. While `recorded_at` is NULL nobody was told that it succeeded.
pushes = table(
    "pushes",
    identity(),
    to("project_id", "projects"),
    flag("wiki"),
    to("actor_id", "users", null=True, gone="SET NULL"),
    words("protocol"),  # http | ssh | web | mirror
    words("created_at"),
    words("recorded_at", null=True),
    index("project_id", "id"),
    index("actor_id", where="actor_id IS NOT NULL"),
)

push_refs = table(
    "push_refs",
    to("push_id", "pushes", key=True),
    words("ref", key=True),
    words("old_id"),  # forty zeros: the ref did not exist
    words("new_id"),  # forty zeros: it is deleted
)

# When somebody last asked for a repository to be put in order: nobody does again for a day.
housekeeping = table(
    "housekeeping",
    to("project_id", "projects", key=True),
    words("started_at"),
)

# Measured after each push.
project_statistics = table(
    "project_statistics",
    to("project_id", "projects", key=True),
    number("commit_count", default=0),  # on the default branch
    number("repository_size", default=0),  # bytes, as the others
    number("lfs_objects_size", default=0),
    words("updated_at"),
)
