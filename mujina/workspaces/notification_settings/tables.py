"""How much people want to hear: of everything, and of single groups and projects."""

from mujina.kernel.db.schema import foreign_key, integer, table, text

# Who said nothing has no row: they take part in what they take part in.
notification_settings = table(
    "notification_settings",
    foreign_key("user_id", "users", key=True),
    text("source_kind", key=True),  # everything | group | project
    integer("source_id", key=True),  # 0 of everything
    text("level"),
    text("email", null=True),  # where to; NULL, or no longer theirs: the principal address
    text("events", default=""),  # of the level custom: the wanted ones, separated by spaces
    text("updated_at"),
)
