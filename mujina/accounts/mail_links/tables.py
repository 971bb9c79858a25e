"""Links that were mailed: whoever opens one has read that mail. Kept as digests, good once and for a while."""

from mujina.kernel.db.schema import foreign_key, index, table, text

mail_links = table(
    "mail_links",
    text("digest", key=True),
    text("purpose"),  # confirmation | further_confirmation | reset
    foreign_key("user_id", "users"),
    text("address"),  # the one it was mailed to
    text("created_at"),
    text("expires_at"),
    index("user_id", "purpose"),
    index("expires_at"),
)
