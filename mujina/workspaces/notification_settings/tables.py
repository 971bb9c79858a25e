"""Notification settings of users: for everything, and for single groups and projects."""

from mujina.kernel.db.ddl import foreign_key, index, integer, table, text

# A user without a row has the default level: `participating`, for a group or project `global`.
notification_settings = table(
    "notification_settings",
    foreign_key("user_id", "users", key=True),
    text("source_kind", key=True),  # everything | group | project
    integer("source_id", key=True),  # 0 for everything
    text("level"),
    text("email", null=True),  # where to; NULL, or no longer the user's: the primary address
    text("events", default=""),  # of the level custom: the enabled ones, separated by spaces
    text("updated_at"),
    # Who watches a project or group; a user's own settings are found by the key.
    index("source_kind", "source_id", "level", "user_id", where="source_kind <> 'everything'"),
)
