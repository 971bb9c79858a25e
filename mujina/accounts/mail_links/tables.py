"""Links that were mailed: whoever opens one has read that mail. Kept as digests, good once and for a while."""

from mujina.kernel.db.schema import index, table, to, words

mail_links = table(
    "mail_links",
    words("digest", key=True),
    words("purpose"),  # confirmation | further_confirmation | reset
    to("user_id", "users"),
    words("address"),  # the one it was mailed to
    words("created_at"),
    words("expires_at"),
    index("user_id", "purpose"),
    index("expires_at"),
)
