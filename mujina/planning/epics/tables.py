"""Epics, which belong to groups."""

from mujina.kernel.db.ddl import Counted, foreign_key, index, integer, kept_count, primary_key, table, text, timestamps

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
    *timestamps(),
    index("group_id", "iid", unique=True),
    # Lists of a small tree collect the epics of each group; those of a large tree follow the order of all epics.
    index("group_id", "id", "updated_at"),
    index("updated_at", "id", "group_id"),
    index("author_id"),
)

# The number of epics of a group and of all groups below it, by the visibility of the group that has them, so that a list
# need not add up a large tree. Who creates or deletes epics locks the row of their group (`operations.py`).
kept_count(
    "epic_counts",
    [foreign_key("group_id", "groups"), text("visibility")],
    Counted(
        table="epics",
        by=lambda _: ["t.ancestor_id", "g.visibility"],
        source=lambda _: "groups g JOIN group_tree t ON t.group_id = g.id",
        where=lambda row: f"g.id = {row}.group_id{row.lock('FOR SHARE OF g')}",
    ),
    Counted(
        table="groups",
        by=lambda row: ["t.ancestor_id", f"{row}.visibility"],
        source=lambda _: "group_tree t JOIN epics e ON e.group_id = t.group_id",
        where=lambda row: f"t.group_id = {row}.id",
        on_insert=False,
        on_update=["visibility"],
        on_delete=False,
    ),
    Counted(
        table="group_tree",
        by=lambda row: [f"{row}.ancestor_id", "g.visibility"],
        source=lambda _: "groups g JOIN epics e ON e.group_id = g.id",
        where=lambda row: f"g.id = {row}.group_id",
    ),
)
