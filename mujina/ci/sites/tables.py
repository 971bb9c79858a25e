"""The published sites of projects. The file store has their archives; the rows say where each file is in its archive."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text

site_deployments = table(
    "site_deployments",
    primary_key(),
    foreign_key("project_id", "projects"),
    integer("job_id"),  # of the job that made it, which may be deleted by now
    boolean("active"),  # whether it is the site of the project now
    text("problem", null=True),  # why it was refused
    text("file", null=True),  # name of the archive in storage, never used twice; NULL: it was refused
    integer("size"),  # bytes of the archive
    text("sha256"),  # of the archive
    integer("file_count"),
    text("created_at"),
    index("project_id", unique=True, where="active", name="ix_site_deployments_active"),
    index("project_id", "id"),
    index("job_id", unique=True),
    index("file", unique=True),
)

site_files = table(
    "site_files",
    primary_key(),
    foreign_key("deployment_id", "site_deployments"),
    text("path"),  # below public/
    integer("size"),  # bytes
    integer("packed"),  # bytes in the archive
    integer("position"),  # of its entry in the archive
    integer("method"),  # 0: stored, 8: deflated
    integer("crc"),
    index("deployment_id", "path", unique=True),
)
