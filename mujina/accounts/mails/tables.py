"""Mails that wait to be sent: whom they are for and why. Their text, with any secret in it, is made when they leave."""

from mujina.kernel.db.schema import identity, index, table, to, words

mails = table(
    "mails",
    identity(),
    to("user_id", "users"),
    words("kind"),
    words("address"),
    words("created_at"),
    index("user_id"),
)
