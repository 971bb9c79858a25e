"""Award emoji on issues, snippets and notes."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text, timestamps

awards = table(
    "awards",
    primary_key(),
    text("subject_kind"),  # issue | snippet | note
    integer("subject_id"),
    text("name"),
    foreign_key("user_id", "users"),
    *timestamps(),
    index("subject_kind", "subject_id", "name", "user_id", unique=True),
    index("user_id", "subject_kind", "name", "subject_id"),
    index("subject_kind", "subject_id", "user_id"),
)
