"""Whom the descriptions and notes speak of."""

from mujina.kernel.db.schema import index, number, table, to, words

# One row for each person a text names with `@`; written with the text, whoever may or may not read it.
mentions = table(
    "mentions",
    words("holder_kind", key=True),  # issue (its title and description) | note | …
    number("holder_id", key=True),
    to("user_id", "users", key=True),
    words("subject_kind"),  # the issue itself, or what the note is about
    number("subject_id"),
    index("subject_kind", "subject_id", "user_id"),
    index("user_id"),
)
