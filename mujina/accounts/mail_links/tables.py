"""Links in mails, stored as digests. Each is valid once and until it expires."""

from mujina.kernel.db.ddl import foreign_key, index, table, text

mail_links = table(
    "mail_links",
    text("digest", key=True),
    text("purpose"),  # confirmation | further_confirmation | reset
    foreign_key("user_id", "users"),
    text("address"),  # of the recipient
    text("created_at"),
    text("expires_at"),
    index("user_id", "purpose"),
    index("expires_at"),
)
