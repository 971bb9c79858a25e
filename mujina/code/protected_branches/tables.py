"""Branches that not everybody who pushes may push to, by name or by pattern."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text

protected_branches = table(
    "protected_branches",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("name"),  # `*` stands for any text
    text("created_at"),
    text("updated_at"),
    index("project_id", "name", unique=True),
)

# Who may all the same. Exactly one of level, user and group is set; level 0 is nobody.
protected_branch_grants = table(
    "protected_branch_grants",
    primary_key(),
    foreign_key("branch_id", "protected_branches"),
    text("verb"),  # push | merge
    integer("level", null=True),
    foreign_key("user_id", "users", null=True),
    foreign_key("group_id", "groups", null=True),
    index("branch_id", "verb"),
    index("user_id", where="user_id IS NOT NULL"),
    index("group_id", where="group_id IS NOT NULL"),
)
