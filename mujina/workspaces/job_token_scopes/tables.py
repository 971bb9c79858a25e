"""Which projects limit the job tokens that open them, and which jobs they let in."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table

job_token_limits = table("job_token_limits", foreign_key("project_id", "projects", key=True))

# Each row lets in the jobs of one project, or of all projects below one group.
job_token_allowlist = table(
    "job_token_allowlist",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("allowed_project_id", "projects", null=True),
    foreign_key("allowed_group_id", "groups", null=True),
    index("project_id", "allowed_project_id", unique=True),
    index("project_id", "allowed_group_id", unique=True),
    index("allowed_project_id", where="allowed_project_id IS NOT NULL"),
    index("allowed_group_id", where="allowed_group_id IS NOT NULL"),
)
