"""Moves that people make in the browser: from where, which projects, and who is who."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

moves = table(
    "moves",
    primary_key(),
    foreign_key("user_id", "users"),
    text("address"),  # of the source
    text("kind", null=True),  # what the source is; null: it is asked
    text("login", null=True),  # of the token's user at the source; null: the source does not tell
    text("token", null=True),  # encrypted, and only until the move has ended
    text("status"),  # listing | listed | moving | finished | failed | canceled
    text("error", null=True),
    foreign_key("namespace_id", "namespaces", null=True, on_delete="SET NULL"),  # where the projects go
    *timestamps(),
    index("user_id", "id"),
    index("namespace_id", where="namespace_id IS NOT NULL"),
    index("updated_at", where="status IN ('listing', 'listed', 'moving')"),
)

move_projects = table(
    "move_projects",
    primary_key(),
    foreign_key("move_id", "moves"),
    text("path"),  # at the source
    text("path_folded"),
    text("status"),  # found | chosen | moving | moved | failed
    text("error", null=True),
    foreign_key("project_id", "projects", null=True, on_delete="SET NULL"),  # where it is here
    index("move_id", "path", unique=True),
    index("project_id", where="project_id IS NOT NULL"),
)

move_people = table(
    "move_people",
    foreign_key("move_id", "moves", key=True),
    text("login", key=True),  # at the source
    text("name"),
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who it is here; null: an imported name
    index("user_id", where="user_id IS NOT NULL"),
)
