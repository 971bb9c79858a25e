"""Whom the descriptions and notes speak of."""

from mujina.kernel.db.schema import foreign_key, index, integer, table, text

# One row for each person a text names with `@`; written with the text, whoever may or may not read it.
mentions = table(
    "mentions",
    text("holder_kind", key=True),  # issue (its title and description) | note | …
    integer("holder_id", key=True),
    foreign_key("user_id", "users", key=True),
    text("subject_kind"),  # the issue itself, or what the note is about
    integer("subject_id"),
    index("subject_kind", "subject_id", "user_id"),
    index("user_id"),
)
