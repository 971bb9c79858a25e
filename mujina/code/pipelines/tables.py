"""Pipelines: everything that builds and tests report about one commit on one ref."""

from mujina.kernel.db.schema import foreign_key, index, integer, primary_key, table, text, timestamps

pipelines = table(
    "pipelines",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("ref"),
    text("sha"),
    text("source", default="external"),  # external: made by the statuses that other systems report
    text("status", default="created"),  # created | pending | running | success | failed | canceled | skipped
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who reported first
    integer("duration", null=True),  # seconds in which at least one of its statuses was running
    text("coverage", null=True),  # percent: the mean of its statuses, with two decimals
    *timestamps(),
    text("started_at", null=True),
    text("finished_at", null=True),
    # Two systems that report at once make one pipeline.
    index("project_id", "ref", "sha", unique=True, where="source = 'external'", name="ix_pipelines_external"),
    index("project_id", "ref", "id"),
    index("project_id", "sha", "id"),
    index("user_id", where="user_id IS NOT NULL"),
)
