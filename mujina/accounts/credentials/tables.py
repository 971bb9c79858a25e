"""Access tokens: found by their digest. Impersonation tokens are also stored encrypted."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

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
    text("description", null=True),
    integer("family_id", null=True),  # the id of the first token of those that replaced each other; NULL: its own
    boolean("expiry_announced"),  # its user got a mail that it expires soon
    text("last_used_at", null=True),  # up to ten minutes old; NULL: never
    index("digest", unique=True),
    index("user_id", "impersonation"),
    index("family_id", where="family_id IS NOT NULL"),
    index("expires_on", where="NOT revoked AND NOT expiry_announced", name="ix_access_tokens_unannounced"),
)
