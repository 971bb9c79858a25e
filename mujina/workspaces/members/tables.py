"""Who was given access to what. With the tree of groups, these tables say all there is to say about access."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

members = table(
    "members",
    words("source_kind", key=True),  # group | project
    number("source_id", key=True),
    to("user_id", "users", key=True),
    number("level"),
    words("expires_on"),
    to("created_by_id", "users", null=True, gone="SET NULL"),
    number("notification_level", default=3),
    words("created_at"),
    words("updated_at"),
    index("user_id", "source_kind", "source_id", "level", "expires_on"),
)

project_shares = table(
    "project_shares",
    identity(),
    to("project_id", "projects"),
    to("group_id", "groups"),
    number("cap"),
    words("expires_on"),
    words("created_at"),
    index("project_id", "group_id", unique=True),
    index("group_id", "project_id", "cap", "expires_on"),
)

access_requests = table(
    "access_requests",
    words("source_kind", key=True),
    number("source_id", key=True),
    to("user_id", "users", key=True),
    words("requested_at"),
    index("user_id"),
)
