"""What administrators tell everybody for a while."""

from mujina.kernel.db.schema import identity, index, table, words

broadcast_messages = table(
    "broadcast_messages",
    identity(),
    words("message"),
    words("starts_at"),
    words("ends_at"),
    words("color"),  # of the ground: #rgb or #rrggbb
    words("font"),  # of the letters
    words("created_at"),
    words("updated_at"),
    index("ends_at"),
)
