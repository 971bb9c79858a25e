"""Schedules: pipelines that the clock starts."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

pipeline_schedules = table(
    "pipeline_schedules",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("owner_id", "users", null=True, on_delete="SET NULL"),  # pipelines run with their rights
    text("description"),
    text("ref"),
    text("cron"),
    text("cron_timezone", default="UTC"),
    boolean("active", default=True),
    text("next_run_at"),
    text("due_at", null=True),  # the last time that came, for which a task starts a pipeline
    *timestamps(),
    index("project_id", "id"),
    index("next_run_at", where="active"),
    index("owner_id", where="owner_id IS NOT NULL"),
)

pipeline_schedule_variables = table(
    "pipeline_schedule_variables",
    primary_key(),
    foreign_key("schedule_id", "pipeline_schedules"),
    text("key"),
    text("value"),  # encrypted
    text("variable_type", default="env_var"),  # env_var | file
    index("schedule_id", "key", unique=True),
)
