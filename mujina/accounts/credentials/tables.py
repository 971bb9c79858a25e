"""Access tokens: found by their digest. Impersonation tokens are also stored encrypted."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

access_tokens = table(
    "access_tokens",
    primary_key(),
    foreign_key("user_id", "users"),
    text("name"),
    text("digest"),
    text("scopes"),  # separated by spaces
    boolean("impersonation"),
    text("sealed", null=True),  # an impersonation token, encrypted: administrators may read it again
    text("expires_on"),
    boolean("revoked"),
    *timestamps(),
    index("digest", unique=True),
    index("user_id", "impersonation"),
)
