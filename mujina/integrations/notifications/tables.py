"""Mail notifications on their way: which event was handed out how far, and whose mail waits."""

from mujina.kernel.db.ddl import foreign_key, index, integer, table, text

# Kept for a week: a job that runs again after a crash hands nothing out twice.
notification_fanouts = table(
    "notification_fanouts",
    integer("event_id", key=True),
    integer("last_user_id"),  # users up to this id have their mail, or get none
    text("created_at"),
    index("created_at"),
)

# Deleted when the mail is sent. Its text is written then, from what the recipient may read then.
notifications = table(
    "notifications",
    integer("event_id", key=True),
    foreign_key("user_id", "users", key=True),
    text("reason"),  # assigned | review_requested | mentioned | subscribed | participating | …
    text("created_at"),
    index("user_id"),
    index("created_at"),
)
