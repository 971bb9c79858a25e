"""Namespaces of users and groups, and one table with every path in use."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

namespaces = table(
    "namespaces",
    primary_key(),
    text("kind"),  # user | group
    text("name"),
    text("name_folded"),
    text("path"),
    text("path_folded"),
    text("full_name"),  # "Group / Subgroup"; a rename of any ancestor updates it
    foreign_key("parent_id", "namespaces", null=True),
    foreign_key("owner_id", "users", null=True),  # the user, for a user's namespace
    text("plan", null=True),
    *timestamps(),
    text("deleted_at", null=True),
    index("parent_id", "name", unique=True, where="deleted_at IS NULL AND parent_id IS NOT NULL"),
    index("name", unique=True, where="deleted_at IS NULL AND parent_id IS NULL AND kind = 'group'"),
    index("name_folded", "id", where="deleted_at IS NULL AND kind = 'group'"),
    index("path_folded", "id", where="deleted_at IS NULL AND kind = 'group'"),
    index("owner_id", unique=True, where="owner_id IS NOT NULL"),
)

# One row for each path in use, so that no path belongs to two namespaces or projects.
routes = table(
    "routes",
    text("path_folded", key=True),
    text("path"),
    foreign_key("namespace_id", "namespaces", null=True),
    foreign_key("project_id", "projects", null=True),
    index("namespace_id", unique=True, where="namespace_id IS NOT NULL"),
    index("project_id", unique=True, where="project_id IS NOT NULL"),
)

# Paths before a rename or transfer: git and pages redirect from them, the API does not.
former_paths = table(
    "former_paths",
    text("path_folded", key=True),
    foreign_key("namespace_id", "namespaces", null=True),
    foreign_key("project_id", "projects", null=True),
    index("namespace_id", where="namespace_id IS NOT NULL"),
    index("project_id", where="project_id IS NOT NULL"),
)
