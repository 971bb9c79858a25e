"""What administrators tell everybody for a while."""

from mujina.kernel.db.schema import index, primary_key, table, text

broadcast_messages = table(
    "broadcast_messages",
    primary_key(),
    text("message"),
    text("starts_at"),
    text("ends_at"),
    text("color"),  # of the ground: #rgb or #rrggbb
    text("font"),  # of the letters
    text("created_at"),
    text("updated_at"),
    index("ends_at"),
)
