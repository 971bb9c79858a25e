"""People, and the ghost that keeps what deleted people wrote."""

from mujina.kernel.db.schema import flag, identity, index, number, table, to, words

users = table(
    "users",
    identity(),
    words("kind", default="person"),  # person | ghost
    words("username"),
    words("username_folded"),
    words("name"),
    words("name_folded"),
    words("email"),
    words("email_folded"),
    words("unconfirmed_email", null=True),  # asked for, to replace `email` once it is confirmed
    words("state", default="active"),  # active | blocked | ldap_blocked
    flag("admin"),
    flag("external"),
    flag("can_create_group", default=True),
    number("projects_limit", default=100000),
    words("password_hash", null=True),
    words("password_expires_at", null=True),  # passed: the next sign-in must change it
    words("bio", null=True),
    words("location", null=True),
    words("organization", null=True),
    words("skype", default=""),
    words("linkedin", default=""),
    words("twitter", default=""),
    words("website_url", default=""),
    words("avatar", null=True),  # file name of the uploaded image, as its address shows it
    words("avatar_key", null=True),  # as the store of files calls it
    number("theme_id", default=1),
    number("color_scheme_id", default=1),
    number("shared_runners_minutes_limit", null=True),
    flag("two_factor_enabled"),
    words(
        "two_factor_due_at", null=True
    ),  # where a second factor is required: by when this person was told to have one
    words("confirmed_at", null=True),
    words("current_sign_in_at", null=True),
    words("last_sign_in_at", null=True),
    words("last_activity_on", null=True),
    words("created_at"),
    words("updated_at"),
    words("deleted_at", null=True),  # set: gone from every answer, data removed in the background
    index("username_folded", unique=True, where="deleted_at IS NULL"),
    index("email_folded", unique=True, where="deleted_at IS NULL"),
    index("last_activity_on"),
    index("kind", unique=True, where="kind = 'ghost'"),
)

identities = table(
    "identities",
    identity(),
    to("user_id", "users"),
    words("provider"),
    words("extern_uid"),
    words("extern_uid_folded"),
    index("provider", "extern_uid_folded", unique=True),
    index("user_id", "provider", unique=True),
)
