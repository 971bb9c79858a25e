"""Programs that act for people: who they are, what they were granted, what they hold. Secrets are kept as digests."""

from mujina.kernel.db.schema import flag, identity, index, table, to, words

oauth_applications = table(
    "oauth_applications",
    identity(),
    to("owner_id", "users", null=True),  # none: the instance's own
    words("name"),
    words("uid"),
    words("secret_digest"),
    words("redirect_uris"),  # separated by line ends
    words("scopes"),  # separated by spaces
    flag("confidential", default=True),  # false: it cannot keep a secret, and must use PKCE
    flag("trusted"),  # nobody is asked for consent
    words("created_at"),
    words("updated_at"),
    index("uid", unique=True),
    index("owner_id"),
)

oauth_grants = table(
    "oauth_grants",
    identity(),
    to("application_id", "oauth_applications"),
    to("user_id", "users"),
    words("digest"),  # of the code
    words("redirect_uri"),
    words("scopes"),
    words("challenge", null=True),
    words("nonce", null=True),  # of OpenID Connect: the client finds it again in the token that says who signed in
    words("expires_at"),
    words("family", null=True),  # of the tokens it was exchanged for; null: not yet used
    index("digest", unique=True),
    index("application_id"),
    index("user_id"),
    index("expires_at"),
)

oauth_tokens = table(
    "oauth_tokens",
    identity(),
    to("application_id", "oauth_applications", null=True),  # none: a password was exchanged without a client
    to("user_id", "users", null=True),  # none: the client itself
    words("family"),  # shared by every token that came of one grant
    words("digest"),
    words("refresh_digest", null=True),
    words("scopes"),
    words("created_at"),
    words("expires_at"),
    flag("revoked"),
    index("digest", unique=True),
    index("refresh_digest", unique=True),
    index("family"),
    index("user_id", "application_id"),
    index("application_id"),
)
