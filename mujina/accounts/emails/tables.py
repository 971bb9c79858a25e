"""Every e-mail address in use: no address belongs to two users."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

emails = table(
    "emails",
    primary_key(),
    foreign_key("user_id", "users"),
    text("email"),
    text("email_folded"),
    boolean("is_primary"),  # the primary address, as in `users.email`; the others are secondary
    boolean("is_public"),  # chosen by the user: their page and the hooks of projects show it
    text("confirmed_at", null=True),
    *timestamps(),
    index("email_folded", unique=True),
    index("user_id"),
    index("user_id", unique=True, where="is_primary", name="ix_emails_primary"),
    index("user_id", unique=True, where="is_public", name="ix_emails_public"),
)
