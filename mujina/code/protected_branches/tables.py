"""Branches that not everybody who pushes may push to, by name or by pattern."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

protected_branches = table(
    "protected_branches",
    identity(),
    to("project_id", "projects"),
    words("name"),  # `*` stands for any text
    words("created_at"),
    words("updated_at"),
    index("project_id", "name", unique=True),
)

# Who may all the same. Exactly one of level, user and group is set; level 0 is nobody.
protected_branch_grants = table(
    "protected_branch_grants",
    identity(),
    to("branch_id", "protected_branches"),
    words("verb"),  # push | merge
    number("level", null=True),
    to("user_id", "users", null=True),
    to("group_id", "groups", null=True),
    index("branch_id", "verb"),
    index("user_id", where="user_id IS NOT NULL"),
    index("group_id", where="group_id IS NOT NULL"),
)
