"""Protected branches, by name or by pattern, and the grants to push or merge there."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

protected_branches = table(
    "protected_branches",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("name"),  # `*` matches any text
    boolean("allow_force_push"),
    boolean("code_owner_approval_required"),
    *timestamps(),
    index("project_id", "name", unique=True),
)

# Exactly one of level, user and group is set; level 0 grants nothing.
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
