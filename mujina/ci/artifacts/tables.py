"""The files of jobs: artifacts, reports and the traces of jobs that are over. The file store has their content."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

job_artifacts = table(
    "job_artifacts",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("job_id", "pipeline_jobs"),
    text("file_type"),  # archive | metadata | trace | the kinds of reports, such as junit
    text("file_format"),  # zip | gzip | raw
    text("filename"),
    integer("size"),  # bytes
    text("sha256"),
    text("file", null=True),  # name of the file in storage, never used twice; NULL: it has expired
    text("expire_at", null=True),  # NULL: never
    text("created_at"),
    index("job_id", "file_type", unique=True),
    index("project_id", "id"),
    index("file", unique=True),
    index("expire_at", where="expire_at IS NOT NULL"),
)
