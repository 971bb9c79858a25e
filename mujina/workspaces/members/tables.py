"""Grants of access. Together with the tree of groups, these tables determine all access."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, kept_count, primary_key, table, text, timestamps

members = table(
    "members",
    text("source_kind", key=True),  # group | project
    integer("source_id", key=True),
    foreign_key("user_id", "users", key=True),
    integer("level"),
    text("expires_on"),
    foreign_key("created_by_id", "users", null=True, on_delete="SET NULL"),
    integer("notification_level", default=3),
    boolean("from_directory"),  # an LDAP directory decides about this membership
    boolean("override"),  # the level was set by hand: the directory does not change it
    *timestamps(),
    index("user_id", "source_kind", "source_id", "level", "expires_on"),
)

kept_count("member_counts", [members.c.source_kind, members.c.source_id, members.c.expires_on])

project_shares = table(
    "project_shares",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("group_id", "groups"),
    integer("cap"),
    text("expires_on"),
    text("created_at"),
    index("project_id", "group_id", unique=True),
    index("group_id", "project_id", "cap", "expires_on"),
)

group_shares = table(
    "group_shares",
    primary_key(),
    foreign_key("shared_group_id", "groups"),
    foreign_key("group_id", "groups"),  # its members have access, as in `project_shares`
    integer("cap"),
    text("expires_on"),
    text("created_at"),
    index("shared_group_id", "group_id", unique=True),
    index("group_id", "shared_group_id", "cap", "expires_on"),
)

access_requests = table(
    "access_requests",
    text("source_kind", key=True),
    integer("source_id", key=True),
    foreign_key("user_id", "users", key=True),
    text("requested_at"),
    index("user_id"),
)
