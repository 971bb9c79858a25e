"""Housekeeping and statistics of a project's repository."""

from mujina.kernel.db.ddl import foreign_key, integer, table, text

# When housekeeping was last requested: it can be requested once a day.
housekeeping = table(
    "housekeeping",
    foreign_key("project_id", "projects", key=True),
    text("started_at"),
)

# Measured after each push.
project_statistics = table(
    "project_statistics",
    foreign_key("project_id", "projects", key=True),
    integer("commit_count", default=0),  # on the default branch
    integer("repository_size", default=0),  # bytes, as the others
    integer("lfs_objects_size", default=0),
    integer("job_artifacts_size", default=0),
    text("updated_at"),
)
