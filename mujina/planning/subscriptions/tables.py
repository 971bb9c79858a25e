"""Who wants to hear about what."""

from mujina.kernel.db.schema import flag, index, number, table, to, words

# Without a row, whoever takes part in something is subscribed to it.
subscriptions = table(
    "subscriptions",
    words("subject_kind", key=True),  # issue | merge_request | epic
    number("subject_id", key=True),
    to("user_id", "users", key=True),
    flag("subscribed"),
    index("user_id"),
)
