"""Environments: what jobs deploy to."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

environments = table(
    "environments",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("name"),  # review/x is in the folder review
    text("slug"),  # part of host names; never changes
    text("external_url", null=True),
    text("state", default="available"),  # available | stopped
    text("tier", null=True),  # production | staging | testing | development | other; NULL: what its name says
    text("auto_stop_at", null=True),  # when a task stops it; NULL: never
    *timestamps(),
    index("project_id", "name", unique=True),
    index("project_id", "slug", unique=True),
    index("project_id", "id"),
    index("auto_stop_at", "id", where="auto_stop_at IS NOT NULL AND state = 'available'"),
)
