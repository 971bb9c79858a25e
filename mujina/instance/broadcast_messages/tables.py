"""Messages from administrators to every user, shown for a limited time."""

from mujina.kernel.db.ddl import index, primary_key, table, text, timestamps

broadcast_messages = table(
    "broadcast_messages",
    primary_key(),
    text("message"),
    text("starts_at"),
    text("ends_at"),
    text("color"),  # background: #rgb or #rrggbb
    text("font"),  # text color
    *timestamps(),
    index("ends_at"),
)
