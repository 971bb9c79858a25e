"""Protected tags, by name or by pattern, and the grants to create them."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text, timestamps

protected_tags = table(
    "protected_tags",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("name"),  # `*` matches any text
    *timestamps(),
    index("project_id", "name", unique=True),
)

# Exactly one of level, user and group is set; level 0 grants nothing.
protected_tag_grants = table(
    "protected_tag_grants",
    primary_key(),
    foreign_key("tag_id", "protected_tags"),
    integer("level", null=True),
    foreign_key("user_id", "users", null=True),
    foreign_key("group_id", "groups", null=True),
    index("tag_id"),
    index("user_id", where="user_id IS NOT NULL"),
    index("group_id", where="group_id IS NOT NULL"),
)
