"""What people have been asked to look at."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

todos = table(
    "todos",
    identity(),
    to("user_id", "users"),  # who has something to do
    to("author_id", "users"),  # who gave it to them
    to("project_id", "projects"),
    words("target_kind"),  # issue | merge_request
    number("target_id"),
    to("note_id", "notes", null=True, gone="SET NULL"),  # the note that mentions them
    words("action"),  # assigned | mentioned | marked | directly_addressed | build_failed | …
    words("state", default="pending"),  # pending | done
    words("created_at"),
    words("updated_at"),
    # One thing to do for each person and target, whatever asks for it.
    index("user_id", "target_kind", "target_id", unique=True, where="state = 'pending'"),
    index("user_id", "state", "id"),
    index("note_id", where="note_id IS NOT NULL"),
    index("author_id"),
    index("project_id"),
)
