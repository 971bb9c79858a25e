"""The rules of pipelines, and the only way to find one that a client names."""

from typing import LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, admin
from mujina.workspaces.members.access import developer, guest, reporter
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, archived, jobs_enabled, public

public_jobs = Condition("public_jobs", "p.public_jobs")

READ_PIPELINES = READ_PROJECT & (public | reporter | (guest & public_jobs) | admin)

READ_JOBS = READ_PIPELINES & jobs_enabled
WRITE_PIPELINES = READ_JOBS & (developer | admin) & ~archived
"""Create, retry, cancel, play; the actor must also be able to push to the ref."""

READ_COMMIT_STATUSES = READ_CODE & READ_PIPELINES
"""The statuses of a commit are parts of its pipelines."""


async def may_read_pipelines(tx: Tx, actor: Actor, project_id: int) -> bool:
    """Whether the actor may read the pipelines of the project."""
    return await tx.value(
        f"SELECT {READ_PIPELINES.standalone} FROM projects p WHERE p.id = :id", id=project_id, **actor.bound
    )


class PipelineRef(Row, alias="pl"):
    """The branch or tag of a pipeline. The two may have one name."""

    ref: str
    tag: bool


async def find_ref(tx: Tx, project_id: int, sha: str, pipeline_id: int, ref: str | None) -> PipelineRef:
    """The ref of the pipeline, if it is one of this commit, and on this ref if one is given."""
    selection = Selection(
        "pipelines pl",
        """pl.id = :id AND pl.project_id = :project_id AND pl.sha = :sha
           AND pl.ref = coalesce(CAST(:ref AS text), pl.ref)""",
        id=pipeline_id, project_id=project_id, sha=sha, ref=ref,
    )  # fmt: skip
    return await find_row(tx, PipelineRef, selection, "Pipeline for pipeline_id, sha and ref")


def newest_of_ref(condition: LiteralString = "TRUE") -> LiteralString:
    """The id of the newest pipeline of `:ref` in the project `:project_id` for which the condition holds; NULL if there is none.

    A branch comes before a tag of the same name, which users may create who may not push to the branch.
    """
    newest: LiteralString = f"""(SELECT pl.id FROM pipelines pl WHERE pl.project_id = :project_id AND pl.ref = :ref
        AND {condition} AND pl.tag = """
    return f"coalesce({newest}FALSE ORDER BY pl.id DESC LIMIT 1), {newest}TRUE ORDER BY pl.id DESC LIMIT 1))"
