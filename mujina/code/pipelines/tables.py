"""Pipelines: everything that jobs, builds and tests report about one commit on one ref."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

pipelines = table(
    "pipelines",
    primary_key(),
    foreign_key("project_id", "projects"),
    integer("iid"),
    text("ref"),  # the name of the branch or tag; for a merge request that of its source branch
    boolean("tag"),
    text("sha"),
    text("before_sha", null=True),  # where the ref was before the push; NULL: there was no push
    # external (made by the statuses that other systems report) | push | web | api | trigger | pipeline | schedule
    # | merge_request_event
    text("source", default="external"),
    text("status", default="created"),  # created | pending | running | success | failed | canceled | skipped | manual
    boolean("protected"),  # whether the ref was protected when the pipeline was made
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who started it or reported first
    foreign_key("merge_request_id", "merge_requests", null=True, on_delete="SET NULL"),  # of merge_request_event
    integer("push_id", null=True),  # the push that made it: handled twice, it makes one pipeline of each ref
    foreign_key("schedule_id", "pipeline_schedules", null=True, on_delete="SET NULL"),  # of schedule
    text(
        "scheduled_for", null=True
    ),  # the time that was due: started twice, it makes one pipeline; NULL: a user started it
    text("name", null=True),  # as the workflow of the CI file says
    text("auto_cancel", null=True),  # conservative | interruptible | none: what a newer commit of the ref cancels
    text("yaml_errors", null=True),
    integer("duration", null=True),  # seconds in which at least one of its jobs was running
    text("coverage", null=True),  # percent: the mean of its jobs, with two decimals
    *timestamps(),
    text("started_at", null=True),
    text("finished_at", null=True),
    integer("depth", default=0),  # how many pipelines, each started by a job of the one before, led to it
    # Two systems that report at once make one pipeline.
    index("project_id", "ref", "tag", "sha", unique=True, where="source = 'external'", name="ix_pipelines_external"),
    index("push_id", "ref", "tag", unique=True, where="push_id IS NOT NULL", name="ix_pipelines_of_push"),
    index(
        "schedule_id", "scheduled_for", unique=True, where="scheduled_for IS NOT NULL", name="ix_pipelines_of_schedule"
    ),
    index("project_id", "iid", unique=True),
    index("project_id", "ref", "id"),
    index("project_id", "sha", "id"),
    index("project_id", "status", "id"),
    index("project_id", "id"),
    index("merge_request_id", "id", where="merge_request_id IS NOT NULL"),
    index("schedule_id", "id", where="schedule_id IS NOT NULL"),
    index("user_id", where="user_id IS NOT NULL"),
)
