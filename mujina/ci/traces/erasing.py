"""Erasing what a job has left."""

from typing import Final

from mujina.ci.artifacts import operations as artifacts
from mujina.ci.jobs.operations import mark_erased
from mujina.ci.jobs.states import RETRYABLE
from mujina.ci.pipelines.rules import FoundJob
from mujina.ci.traces import operations as traces
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects.rules import ProjectRow

NOT_ERASABLE: Final = "Job is not erasable!"


async def erase(tx: Tx, actor: Actor, project: ProjectRow, job: FoundJob) -> None:
    """Delete the trace and the files of a job that is over, for masters and for the user of the job; 403 otherwise."""
    if not project.managed and job.user_id != actor.id:
        raise errors.forbidden()
    left = [await traces.erase(tx, job.id), await artifacts.remove_artifacts(tx, job.id)]
    if job.status not in RETRYABLE or not any(left):
        raise errors.forbidden(NOT_ERASABLE)
    await mark_erased(tx, actor, job)
