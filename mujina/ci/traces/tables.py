"""The traces of jobs: what their scripts print. Some time after a job is over, its trace is a file."""

from mujina.kernel.db.ddl import binary, foreign_key, integer, table, text

job_traces = table(
    "job_traces",
    foreign_key("job_id", "pipeline_jobs", key=True),
    integer("size", default=0),  # bytes as the runner sent them
    text("secrets"),  # encrypted: the values that are masked, as a JSON list
    text("held", null=True),  # encrypted: the end that may begin a masked value; NULL: nothing
)

job_trace_chunks = table(
    "job_trace_chunks",
    foreign_key("job_id", "pipeline_jobs", key=True),
    integer("start", key=True),  # bytes before it
    binary("data"),  # masked
)
