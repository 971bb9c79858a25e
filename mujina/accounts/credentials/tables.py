"""Tokens: known by their digest; impersonation tokens are kept encrypted beside it."""

from mujina.kernel.db.schema import flag, identity, index, table, to, words

access_tokens = table(
    "access_tokens",
    identity(),
    to("user_id", "users"),
    words("name"),
    words("digest"),
    words("scopes"),  # separated by spaces
    flag("impersonation"),
    words("sealed", null=True),  # an impersonation token, encrypted: administrators may read it again
    words("expires_on"),
    flag("revoked"),
    words("created_at"),
    words("updated_at"),
    index("digest", unique=True),
    index("user_id", "impersonation"),
)
