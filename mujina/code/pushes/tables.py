"""Pushes and the refs they move."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text

# Written before the first ref moves. While `recorded_at` is NULL no client was told that the push succeeded.
pushes = table(
    "pushes",
    primary_key(),
    foreign_key("project_id", "projects"),
    boolean("wiki"),
    foreign_key("actor_id", "users", null=True, on_delete="SET NULL"),
    text("protocol"),  # http | ssh | web | mirror
    text("lock", null=True),  # the file that is locked until the push is recorded or its process is dead
    text("created_at"),
    text("recorded_at", null=True),
    index("project_id", "wiki", "id"),
    index("actor_id", where="actor_id IS NOT NULL"),
)

push_refs = table(
    "push_refs",
    foreign_key("push_id", "pushes", key=True),
    text("ref", key=True),
    text("old_id"),  # forty zeros: the ref did not exist
    text("new_id"),  # forty zeros: the push deletes the ref
)
