"""OAuth applications, grants and tokens. Secrets are stored as digests."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

oauth_applications = table(
    "oauth_applications",
    primary_key(),
    foreign_key("owner_id", "users", null=True),  # null: registered by an administrator
    text("name"),
    text("uid"),
    text("secret_digest"),
    text("redirect_uris"),  # separated by line ends
    text("scopes"),  # separated by spaces
    boolean("confidential", default=True),  # false: a public client, which must use PKCE
    boolean("trusted"),  # users are not asked for consent
    *timestamps(),
    index("uid", unique=True),
    index("owner_id"),
)

oauth_grants = table(
    "oauth_grants",
    primary_key(),
    foreign_key("application_id", "oauth_applications"),
    foreign_key("user_id", "users"),
    text("digest"),  # of the code
    text("redirect_uri"),
    text("scopes"),
    text("challenge", null=True),
    text("nonce", null=True),  # of OpenID Connect: the ID token repeats it
    text("expires_at"),
    text("family", null=True),  # of the tokens that it was exchanged for; null: not yet used
    index("digest", unique=True),
    index("application_id"),
    index("user_id"),
    index("expires_at"),
)

oauth_tokens = table(
    "oauth_tokens",
    primary_key(),
    foreign_key("application_id", "oauth_applications", null=True),  # null: a password was exchanged without a client
    foreign_key("user_id", "users", null=True),  # null: the client itself
    text("family"),  # shared by all tokens that follow from one grant
    text("digest"),
    text("refresh_digest", null=True),
    text("scopes"),
    text("created_at"),
    text("expires_at"),
    boolean("revoked"),
    index("digest", unique=True),
    index("refresh_digest", unique=True),
    index("family"),
    index("user_id", "application_id"),
    index("application_id"),
)
