"""Mails that wait to be sent: whom they are for and why. Their text, with any secret in it, is made when they leave."""

from mujina.kernel.db.schema import foreign_key, index, primary_key, table, text

mails = table(
    "mails",
    primary_key(),
    foreign_key("user_id", "users"),
    text("kind"),
    text("address"),
    text("created_at"),
    index("user_id"),
)
