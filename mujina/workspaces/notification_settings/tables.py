"""How much people want to hear: of everything, and of single groups and projects."""

from mujina.kernel.db.schema import number, table, to, words

# Who said nothing has no row: they take part in what they take part in.
notification_settings = table(
    "notification_settings",
    to("user_id", "users", key=True),
    words("source_kind", key=True),  # everything | group | project
    number("source_id", key=True),  # 0 of everything
    words("level"),
    words("email", null=True),  # where to; NULL, or no longer theirs: the principal address
    words("events", default=""),  # of the level custom: the wanted ones, separated by spaces
    words("updated_at"),
)
