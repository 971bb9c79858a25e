"""Groups: namespaces that hold members, projects and other groups."""

from sqlalchemy import Column, ForeignKey

from mujina.kernel.db.schema import Number, flag, index, number, table, to, words

groups = table(
    "groups",
    Column("id", Number, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    words("description", default=""),
    words("visibility", default="private"),
    flag("lfs_enabled", default=True),
    flag("request_access_enabled"),
    flag("membership_lock"),
    flag("share_with_group_lock"),
    number("shared_runners_minutes_limit", null=True),
    words("avatar", null=True),
    index("visibility"),
)

# The closure of the tree: every group with each of its ancestors, itself at depth 0.
group_tree = table(
    "group_tree",
    to("group_id", "groups", key=True),
    to("ancestor_id", "groups", key=True),
    number("depth"),
    index("ancestor_id", "group_id"),
)
