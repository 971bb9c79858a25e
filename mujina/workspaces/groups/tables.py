"""Groups: namespaces that hold members, projects and other groups."""

from sqlalchemy import Column, ForeignKey

from mujina.kernel.db.ddl import IntegerType, boolean, foreign_key, index, integer, table, text

groups = table(
    "groups",
    Column("id", IntegerType, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    text("description", default=""),
    text("visibility", default="private"),
    boolean("lfs_enabled", default=True),
    boolean("request_access_enabled"),
    boolean("membership_lock"),
    boolean("share_with_group_lock"),
    integer("shared_runners_minutes_limit", null=True),
    text("stored_settings", null=True),  # JSON: settings that have no meaning here, as a user set them
    text("avatar", null=True),  # the file name in its address
    text("avatar_key", null=True),  # the key in the storage of files
    text("runners_token", null=True),  # encrypted; NULL until one is made
    text("runners_token_digest", null=True),
    index("visibility"),
    index("runners_token_digest", where="runners_token_digest IS NOT NULL"),
)

# The closure of the tree: every group with each of its ancestors, itself at depth 0.
group_tree = table(
    "group_tree",
    foreign_key("group_id", "groups", key=True),
    foreign_key("ancestor_id", "groups", key=True),
    integer("depth"),
    index("ancestor_id", "group_id"),
)
