"""Epics, which belong to groups."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

epics = table(
    "epics",
    primary_key(),
    foreign_key("group_id", "groups"),
    integer("iid"),
    text("title"),
    text("title_folded"),
    text("description", null=True),
    text("description_folded", default=""),
    foreign_key("author_id", "users"),
    text("start_on", null=True),
    text("end_on", null=True),
    text("created_at"),
    text("updated_at"),
    index("group_id", "iid", unique=True),
    # Lists of a small tree collect the epics of each group; those of a large tree follow the order of all epics.
    index("group_id", "id", "updated_at"),
    index("updated_at", "id", "group_id"),
    index("author_id"),
)

# The number of epics of a group and of all groups below it, by the visibility of the group that has them, so that a list
# need not add up a large tree.
epic_counts = table(
    "epic_counts",
    foreign_key("group_id", "groups", key=True),
    text("visibility", key=True),  # private | internal | public
    integer("n"),
)
