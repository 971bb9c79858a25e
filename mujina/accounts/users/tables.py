"""People, and the ghost that keeps what deleted people wrote."""

from mujina.kernel.db.schema import boolean, foreign_key, index, integer, primary_key, table, text

users = table(
    "users",
    primary_key(),
    text("kind", default="person"),  # person | ghost
    text("username"),
    text("username_folded"),
    text("name"),
    text("name_folded"),
    text("email"),
    text("email_folded"),
    text("unconfirmed_email", null=True),  # asked for, to replace `email` once it is confirmed
    text("state", default="active"),  # active | blocked | ldap_blocked
    boolean("admin"),
    boolean("external"),
    boolean("can_create_group", default=True),
    integer("projects_limit", default=100000),
    text("password_hash", null=True),
    text("password_expires_at", null=True),  # passed: the next sign-in must change it
    text("bio", null=True),
    text("location", null=True),
    text("organization", null=True),
    text("skype", default=""),
    text("linkedin", default=""),
    text("twitter", default=""),
    text("website_url", default=""),
    text("avatar", null=True),  # file name of the uploaded image, as its address shows it
    text("avatar_key", null=True),  # as the store of files calls it
    integer("theme_id", default=1),
    integer("color_scheme_id", default=1),
    integer("shared_runners_minutes_limit", null=True),
    boolean("two_factor_enabled"),
    text("two_factor_due_at", null=True),  # where a second factor is required: by when this person was told to have one
    text("confirmed_at", null=True),
    text("current_sign_in_at", null=True),
    text("last_sign_in_at", null=True),
    text("last_activity_on", null=True),
    text("created_at"),
    text("updated_at"),
    text("deleted_at", null=True),  # set: gone from every answer, data removed in the background
    index("username_folded", unique=True, where="deleted_at IS NULL"),
    index("email_folded", unique=True, where="deleted_at IS NULL"),
    index("last_activity_on"),
    index("kind", unique=True, where="kind = 'ghost'"),
)

identities = table(
    "identities",
    primary_key(),
    foreign_key("user_id", "users"),
    text("provider"),
    text("extern_uid"),
    text("extern_uid_folded"),
    index("provider", "extern_uid_folded", unique=True),
    index("user_id", "provider", unique=True),
)
