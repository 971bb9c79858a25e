"""The job that a runner works on, found by the token of the job: nothing else opens the runner's requests about it."""

from datetime import timedelta
from typing import Annotated, Final, Literal

from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call

TOKEN_HEADER: Final = "JOB-TOKEN"  # noqa: S105 - the name of a header
REPORT_GRACE: Final = timedelta(minutes=10)
"""How long a runner may still report about a job that is over: it learns of a cancellation by its next request."""

HEARTBEAT_INTERVAL: Final = timedelta(minutes=1)

Use = Literal["write", "report", "read"]
"""`write`: while the job runs. `report`: also shortly afterward. `read`: as long as the job exists."""


class RunnerJob(Row, alias="j"):
    """A job as its runner may ask about it, with its project (`p`)."""

    id: int
    project_id: int
    status: str
    token_digest: str | None
    updated_at: str
    finished_at: str | None
    erased_at: str | None
    project_deleted: Annotated[bool, "(p.deleted_at IS NOT NULL)"]

    @property
    def running(self) -> bool:
        return self.status == "running"

    @property
    def silent(self) -> bool:
        """Whether the runner was last heard of some time ago: a request of it is worth a write."""
        return self.running and self.updated_at < clock.later(-HEARTBEAT_INTERVAL)


def job_token(call: Call) -> str:
    """The token of a job that the request carries, in a header or as a parameter; empty if it has none."""
    params = (call.tree.get(name) for name in ("token", "job_token"))
    return call.request.get_header(TOKEN_HEADER) or next((each for each in params if isinstance(each, str)), "")


async def find_job_of_runner(tx: Tx, job_id: int, token: str, use: Use) -> RunnerJob:
    """The job that has this token: 404 if there is no such job, 403 for any other token, or if it is too late."""
    selection = Selection("pipeline_jobs j JOIN projects p ON p.id = j.project_id", "j.id = :id", id=job_id)
    job = await find_row(tx, RunnerJob, selection, "Job")
    if job.token_digest is None or not secrets.same(job.token_digest, secrets.digest(token)):
        raise errors.forbidden()
    if job.project_deleted:
        raise errors.forbidden("Project has been deleted!")
    if job.erased_at is not None:
        raise errors.forbidden("Job has been erased!")
    late = use == "report" and job.finished_at is not None and job.finished_at < clock.later(-REPORT_GRACE)
    if late or (use == "write" and not job.running):
        raise errors.forbidden("Job is not running!")
    return job
