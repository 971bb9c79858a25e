"""Mails in the queue: recipient and kind. The text, which may contain a secret, is written when the mail is sent."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

mails = table(
    "mails",
    primary_key(),
    foreign_key("user_id", "users"),
    text("kind"),
    text("address"),
    text("created_at"),
    index("user_id"),
)
