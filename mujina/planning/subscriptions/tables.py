"""Explicit choices to subscribe or unsubscribe."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, table, text

# Without a row, participants are subscribed.
subscriptions = table(
    "subscriptions",
    text("subject_kind", key=True),  # issue | merge_request | epic
    integer("subject_id", key=True),
    foreign_key("user_id", "users", key=True),
    boolean("subscribed"),
    index("user_id"),
)
