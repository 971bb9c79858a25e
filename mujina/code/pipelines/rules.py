"""The rules of pipelines, and the only way to find one that a client names."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import Condition, admin
from mujina.workspaces.members.access import guest, reporter
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, public

public_jobs = Condition("public_jobs", "p.public_jobs")

READ_PIPELINES = READ_PROJECT & (public | reporter | (guest & public_jobs) | admin)

READ_COMMIT_STATUSES = READ_CODE & READ_PIPELINES
"""The statuses of a commit are parts of its pipelines."""


async def find_ref(tx: Tx, project_id: int, sha: str, pipeline_id: int, ref: str | None) -> str:
    """The ref of the pipeline, if it is one of this commit, and on this ref if one is given."""
    found: str | None = await tx.value(
        """SELECT pl.ref FROM pipelines pl WHERE pl.id = :id AND pl.project_id = :project_id AND pl.sha = :sha
           AND pl.ref = coalesce(CAST(:ref AS text), pl.ref)""",
        id=pipeline_id, project_id=project_id, sha=sha, ref=ref,
    )  # fmt: skip
    return errors.or_not_found(found, "Pipeline for pipeline_id, sha and ref")
