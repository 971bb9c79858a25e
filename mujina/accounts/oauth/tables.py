"""Programs that act for people: who they are, what they were granted, what they hold. Secrets are kept as digests."""

from mujina.kernel.db.schema import boolean, foreign_key, index, primary_key, table, text

oauth_applications = table(
    "oauth_applications",
    primary_key(),
    foreign_key("owner_id", "users", null=True),  # none: the instance's own
    text("name"),
    text("uid"),
    text("secret_digest"),
    text("redirect_uris"),  # separated by line ends
    text("scopes"),  # separated by spaces
    boolean("confidential", default=True),  # false: it cannot keep a secret, and must use PKCE
    boolean("trusted"),  # nobody is asked for consent
    text("created_at"),
    text("updated_at"),
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
    text("nonce", null=True),  # of OpenID Connect: the client finds it again in the token that says who signed in
    text("expires_at"),
    text("family", null=True),  # of the tokens it was exchanged for; null: not yet used
    index("digest", unique=True),
    index("application_id"),
    index("user_id"),
    index("expires_at"),
)

oauth_tokens = table(
    "oauth_tokens",
    primary_key(),
    foreign_key("application_id", "oauth_applications", null=True),  # none: a password was exchanged without a client
    foreign_key("user_id", "users", null=True),  # none: the client itself
    text("family"),  # shared by every token that came of one grant
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
