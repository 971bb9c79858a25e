"""The users whom issues and notes mention."""

from mujina.kernel.db.ddl import foreign_key, index, integer, table, text

# One row for each user whom a text names with `@`, whether or not they may read it.
mentions = table(
    "mentions",
    text("source_kind", key=True),  # issue (its title and description) | note | …
    integer("source_id", key=True),
    foreign_key("user_id", "users", key=True),
    text("subject_kind"),  # the issue itself, or what the note is on
    integer("subject_id"),
    index("subject_kind", "subject_id", "user_id"),
    index("user_id"),
)
