"""Users, and the ghost user, the author of what deleted users wrote."""

from mujina.kernel.db.ddl import (
    boolean,
    foreign_key,
    index,
    integer,
    primary_key,
    shown_in_documents,
    table,
    text,
    timestamps,
)

users = table(
    "users",
    primary_key(),
    text(
        "kind", default="person"
    ),  # person | bot: the user of an access token | ghost | imported: an author on another forge
    text("username"),
    text("username_folded"),
    text("name"),
    text("name_folded"),
    text("email"),
    text("email_folded"),
    text("unconfirmed_email", null=True),  # requested; replaces `email` once it is confirmed
    text("state", default="active"),  # active | blocked | ldap_blocked | blocked_pending_approval
    boolean("admin"),
    boolean("external"),
    boolean("can_create_group", default=True),
    integer("projects_limit", default=100000),
    text("password_hash", null=True),
    text("password_expires_at", null=True),  # past: the user must change it at the next sign-in
    text("bio", null=True),
    text("location", null=True),
    text("organization", null=True),
    text("skype", default=""),
    text("linkedin", default=""),
    text("twitter", default=""),
    text("website_url", default=""),
    text("avatar", null=True),  # file name of the image in its URL
    text("avatar_key", null=True),  # key in the file store
    integer("theme_id", default=1),  # 2: dark, 3: light; any other: as the system says
    integer("color_scheme_id", default=1),
    boolean("keyboard_shortcuts", default=True),
    text("start_page", default="projects"),  # the page of one's own work that `/` shows
    boolean("private_contributions"),  # the user's calendar counts what its reader may not see
    text("note", null=True),  # of administrators, for administrators
    text("project_view", default="files"),  # files | readme | activity: what the home page of a project shows
    integer("feed_token_version", default=0),  # a higher one makes former feed tokens invalid
    integer("shared_runners_minutes_limit", null=True),
    boolean("two_factor_enabled"),
    text("two_factor_due_at", null=True),  # deadline for two-factor authentication, where it is required
    text("confirmed_at", null=True),
    text("current_sign_in_at", null=True),
    text("last_sign_in_at", null=True),
    text("last_activity_on", null=True),
    *timestamps(),
    text("deleted_at", null=True),  # set: hidden from every response; jobs remove the data
    index("username_folded", unique=True, where="deleted_at IS NULL"),
    index("email_folded", unique=True, where="deleted_at IS NULL"),
    index("last_activity_on"),
    index("deleted_at", where="deleted_at IS NOT NULL"),  # few: counts of members leave them out
    index("kind", unique=True, where="kind = 'ghost'"),
)

shown_in_documents("users", "username", "name", "state", "avatar", "deleted_at")

identities = table(
    "identities",
    primary_key(),
    foreign_key("user_id", "users"),
    text("provider"),
    text("extern_uid"),
    text("extern_uid_folded"),
    text("checked_at", null=True),  # when the directory last said whether this user exists
    text("blocked_at", null=True),  # when the directory last blocked this user; NULL once it unblocked them
    text("entry_uuid", null=True),  # the directory's own id of the entry, which outlasts its name; NULL: not known
    index("provider", "extern_uid_folded", unique=True),
    index("provider", "entry_uuid"),
    index("user_id", "provider", unique=True),
)
