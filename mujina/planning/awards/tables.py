"""Emoji that people gave to issues and notes."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

awards = table(
    "awards",
    identity(),
    words("subject_kind"),  # issue | note
    number("subject_id"),
    words("name"),
    to("user_id", "users"),
    words("created_at"),
    words("updated_at"),
    index("subject_kind", "subject_id", "name", "user_id", unique=True),
    index("user_id", "subject_kind", "name", "subject_id"),
    index("subject_kind", "subject_id", "user_id"),
)
