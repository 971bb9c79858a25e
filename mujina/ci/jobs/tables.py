"""The jobs of pipelines. The table `jobs` is the queue of the instance's own background work."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

pipeline_jobs = table(
    "pipeline_jobs",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("pipeline_id", "pipelines"),
    text("name"),
    text("stage"),
    integer("stage_index"),
    # created | scheduled (a delayed job whose time has not come) | manual | pending | running
    # | success | failed | canceled | skipped
    text("status", default="created"),
    text("run_when", default="on_success"),  # on_success | on_failure | always | manual | delayed
    boolean("allow_failure"),
    boolean("retried"),  # a newer job of this name replaces it
    boolean("protected"),  # whether the ref was protected when the pipeline was made
    boolean("interruptible"),
    text("needs", null=True),  # the names of the jobs it waits for, as a JSON list; NULL: all earlier stages
    text("tags", default="[]"),  # sorted, as a JSON list: a runner must have all of them
    text("environment", null=True),  # its name, expanded
    text("resource_group", null=True),  # of the jobs of a project with the same one, one runs at a time
    integer("start_in", null=True),  # seconds that a delayed job waits
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who started or retried it
    integer("runner_id", null=True),
    text("token_digest", null=True),  # for the look-up; made when the job starts
    text("token", null=True),  # encrypted: later jobs fetch its artifacts with it
    text("failure_reason", null=True),
    integer("exit_code", null=True),
    text("coverage", null=True),  # percent, as a decimal number
    *timestamps(),
    text("scheduled_at", null=True),  # when a delayed job starts
    text("queued_at", null=True),
    text("started_at", null=True),
    text("finished_at", null=True),
    text("erased_at", null=True),
    foreign_key("erased_by_id", "users", null=True, on_delete="SET NULL"),
    text("options", default="{}"),  # last, so that the other columns are read without it: `JobConfig` as JSON
    index("pipeline_id", "retried", "stage_index", "status", "allow_failure", name="ix_pipeline_jobs_parts"),
    index("pipeline_id", "name", "id"),
    index("project_id", "id"),
    index("project_id", "status", "id"),
    index("status", "id", where="status IN ('pending', 'running')", name="ix_pipeline_jobs_open"),
    index("pipeline_id", where="status = 'created' AND needs IS NOT NULL", name="ix_pipeline_jobs_needing"),
    index(
        "tags",
        "protected",
        "project_id",
        "id",
        "resource_group",
        where="status = 'pending'",
        name="ix_pipeline_jobs_queues",
    ),
    index("runner_id", "project_id", where="status = 'running'", name="ix_pipeline_jobs_running"),
    index(
        "project_id",
        "resource_group",
        unique=True,
        where="status = 'running' AND resource_group IS NOT NULL",
        name="ix_pipeline_jobs_resources",
    ),
    index("token_digest", unique=True, where="token_digest IS NOT NULL"),
    index("runner_id", "id", where="runner_id IS NOT NULL"),
    index("user_id", where="user_id IS NOT NULL"),
    index("erased_by_id", where="erased_by_id IS NOT NULL"),
)
