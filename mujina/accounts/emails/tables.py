"""Every e-mail address in use, so that no address belongs to two people."""

from mujina.kernel.db.schema import flag, identity, index, table, to, words

emails = table(
    "emails",
    identity(),
    to("user_id", "users"),
    words("email"),
    words("email_folded"),
    flag("principal"),  # the one in `users.email`; the others are the person's secondary addresses
    words("confirmed_at", null=True),
    words("created_at"),
    words("updated_at"),
    index("email_folded", unique=True),
    index("user_id"),
    index("user_id", unique=True, where="principal", name="ix_emails_principal"),
)
