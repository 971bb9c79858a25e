"""What other systems say of commits: whether they build, and pass."""

from mujina.kernel.db.schema import flag, identity, index, table, to, words

commit_statuses = table(
    "commit_statuses",
    identity(),
    to("project_id", "projects"),
    words("sha"),
    words("ref"),
    words("name"),
    words("state"),  # pending | running | success | failed | canceled
    words("target_url", null=True),
    words("description", null=True),
    words("coverage", null=True),  # percent, as a decimal number
    to("author_id", "users", null=True, gone="SET NULL"),
    flag("retried"),  # a newer one of this name speaks for the commit
    words("created_at"),
    words("started_at", null=True),
    words("finished_at", null=True),
    index("project_id", "sha", "id"),
    index("project_id", "sha", "ref", "name", unique=True, where="NOT retried", name="ix_commit_statuses_standing"),
    index("author_id", where="author_id IS NOT NULL"),
)
