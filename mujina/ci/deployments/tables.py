"""Deployments: what a job that succeeded has put where."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

deployments = table(
    "deployments",
    primary_key(),
    foreign_key("project_id", "projects"),
    integer("iid"),
    foreign_key("environment_id", "environments"),
    foreign_key("job_id", "pipeline_jobs", null=True, on_delete="SET NULL"),
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),
    text("ref"),
    boolean("tag"),
    text("sha"),
    text("on_stop", null=True),  # the name of the job that stops the environment
    text("status", default="success"),
    *timestamps(),
    index("project_id", "iid", unique=True),
    index("project_id", "id"),
    index("environment_id", "id"),
    index("job_id", unique=True, where="job_id IS NOT NULL"),
    index("user_id", where="user_id IS NOT NULL"),
)
