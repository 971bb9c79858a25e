"""Statuses of commits that other systems report, such as builds and tests."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text

commit_statuses = table(
    "commit_statuses",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("pipeline_id", "pipelines"),
    text("sha"),
    text("ref"),
    boolean("tag"),
    text("name"),
    text("state"),  # pending | running | success | failed | canceled | skipped
    text("target_url", null=True),
    text("description", null=True),
    text("coverage", null=True),  # percent, as a decimal number
    foreign_key("author_id", "users", null=True, on_delete="SET NULL"),
    boolean("retried"),  # a newer status of this name replaces it
    text("created_at"),
    text("started_at", null=True),
    text("finished_at", null=True),
    index("project_id", "sha", "id"),
    index(
        "project_id", "sha", "ref", "tag", "name", unique=True, where="NOT retried", name="ix_commit_statuses_standing"
    ),
    index("pipeline_id"),
    index("author_id", where="author_id IS NOT NULL"),
)
