"""Todos of users."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text, timestamps

todos = table(
    "todos",
    primary_key(),
    foreign_key("user_id", "users"),  # whose todo it is
    foreign_key("author_id", "users"),  # who caused it
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),  # of a target that belongs to no project
    text("target_kind"),  # issue | merge_request | epic
    integer("target_id"),
    foreign_key("note_id", "notes", null=True, on_delete="SET NULL"),  # the note that mentions them
    text("action"),  # assigned | mentioned | marked | directly_addressed | build_failed | …
    text("state", default="pending"),  # pending | done
    *timestamps(),
    # One pending todo for each user and target.
    index("user_id", "target_kind", "target_id", unique=True, where="state = 'pending'"),
    index("user_id", "state", "id"),
    index("note_id", where="note_id IS NOT NULL"),
    index("author_id"),
    index("project_id"),
    index("group_id", where="group_id IS NOT NULL"),
)
