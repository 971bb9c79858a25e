"""Path spaces of users and groups, and the one table of every path in use."""

from mujina.kernel.db.schema import identity, index, table, to, words

namespaces = table(
    "namespaces",
    identity(),
    words("kind"),  # user | group
    words("name"),
    words("name_folded"),
    words("path"),
    words("path_folded"),
    words("full_name"),  # "Group / Subgroup", kept with every rename above
    to("parent_id", "namespaces", null=True),
    to("owner_id", "users", null=True),  # of a user's namespace
    words("plan", null=True),
    words("created_at"),
    words("updated_at"),
    words("deleted_at", null=True),
    index("parent_id", "name", unique=True, where="deleted_at IS NULL AND parent_id IS NOT NULL"),
    index("name", unique=True, where="deleted_at IS NULL AND parent_id IS NULL AND kind = 'group'"),
    index("name_folded", "id", where="deleted_at IS NULL AND kind = 'group'"),
    index("path_folded", "id", where="deleted_at IS NULL AND kind = 'group'"),
    index("owner_id", unique=True, where="owner_id IS NOT NULL"),
)

# One row for each path that answers, so that no path answers for two things.
routes = table(
    "routes",
    words("path_folded", key=True),
    words("path"),
    to("namespace_id", "namespaces", null=True),
    to("project_id", "projects", null=True),
    index("namespace_id", unique=True, where="namespace_id IS NOT NULL"),
    index("project_id", unique=True, where="project_id IS NOT NULL"),
)

# Where things answered before they were renamed or moved: git and pages follow it, the API does not.
former_paths = table(
    "former_paths",
    words("path_folded", key=True),
    to("namespace_id", "namespaces", null=True),
    to("project_id", "projects", null=True),
    index("namespace_id", where="namespace_id IS NOT NULL"),
    index("project_id", where="project_id IS NOT NULL"),
)
