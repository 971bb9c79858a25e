"""The verbs of jobs: start, finish, play, cancel, retry, and what the pipeline does about it.

Locks are taken in one order: the row of the pipeline, then those of its jobs. Only `start` locks a job alone, so runners
that take jobs of one pipeline do not wait for each other.
"""

from typing import Annotated, Final, Literal, LiteralString

import msgspec

from mujina.ci.jobs.processing import process
from mujina.ci.jobs.states import CANCELABLE, FAILURE_REASONS, PLAYABLE, RETRYABLE
from mujina.ci.language.config import JobConfig, RetryPolicy
from mujina.ci.pipelines.rules import FoundJob
from mujina.code.pipelines import operations as pipelines
from mujina.code.pipelines.operations import PipelineRow
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row, update_unread
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault

TOKEN_PURPOSE: Final = "pipeline_jobs.token"  # noqa: S105 - what the token is encrypted for
NOT_RETRYABLE: Final = "Job is not retryable"
UNPLAYABLE: Final = "400 Bad request - Unplayable Job"

Outcome = Literal["success", "failed", "canceled"]


class ChangedJob(Row, alias="j"):
    """A job whose status changes, with its pipeline (`pl`)."""

    id: int
    project_id: int
    pipeline_id: int
    name: str
    status: str
    run_when: str
    retried: bool
    allow_failure: bool
    user_id: int | None
    failure_reason: str | None
    environment: str | None
    ref: Annotated[str, "pl.ref"]
    tag: Annotated[bool, "pl.tag"]
    sha: Annotated[str, "pl.sha"]
    pipeline_status: Annotated[str, "pl.status"]


_JOBS: LiteralString = f"""SELECT {ChangedJob.columns} FROM pipeline_jobs j
    JOIN pipelines pl ON pl.id = j.pipeline_id"""


async def start(tx: Tx, vault: Vault, job: ChangedJob, runner_id: int | None) -> str:
    """The runner takes the pending job, whose row is locked: it is running from now on, and this is its token.

    The pipeline's row is not locked here: a task computes its status soon after, unless it is `running` already.
    """
    token, now = secrets.new_token(), clock.now()
    started: dict[str, Value] = {
        "status": "running", "started_at": now, "updated_at": now, "runner_id": runner_id,
        "token_digest": secrets.digest(token), "token": vault.encrypt(token, TOKEN_PURPOSE),
    }  # fmt: skip
    await update_unread(tx, "pipeline_jobs", started, id=job.id)
    await _announce(tx, job, "running")
    if job.pipeline_status != "running":
        await enqueue(tx, "pipelines.process", job.pipeline_id)
    return token


async def touch(tx: Tx, job_id: int) -> None:
    """Note that the runner still works on the job."""
    await tx.run(
        "UPDATE pipeline_jobs SET updated_at = :now WHERE id = :id AND status = 'running'", id=job_id, now=clock.now()
    )


async def finish(
    tx: Tx, job_id: int, outcome: Outcome, reason: str | None = None, *, exit_code: int | None = None
) -> bool:
    """End a job that is not over: whether it was not. A failure of an unknown reason is an `unknown_failure`.

    A job that may be repeated is repeated; the jobs that waited for it start or are skipped; the status of the pipeline
    follows; all in this transaction, which must not hold the lock of a job yet.
    """
    if reason is not None and reason not in FAILURE_REASONS:
        reason = "unknown_failure"
    locked = await lock(tx, job_id)
    if locked is None or locked[1].status not in ("created", "pending", "running"):
        return False
    pipeline, job = locked
    reason = (reason or "unknown_failure") if outcome == "failed" else None
    tolerated, repeated = await _follow_failure(tx, job, reason, exit_code) if reason else (False, False)
    now = clock.now()
    ended: dict[str, Value] = {
        "status": outcome, "finished_at": now, "updated_at": now, "failure_reason": reason, "exit_code": exit_code,
        "allow_failure": job.allow_failure or tolerated,
    }  # fmt: skip
    await update_unread(tx, "pipeline_jobs", ended, id=job.id)
    job = msgspec.structs.replace(job, failure_reason=reason, allow_failure=job.allow_failure or tolerated)
    await _announce(tx, job, outcome, repeated=repeated)
    await process(tx, _actor(job.user_id), pipeline)
    return True


async def _follow_failure(tx: Tx, job: ChangedJob, reason: str, exit_code: int | None) -> tuple[bool, bool]:
    """Whether the CI file tolerates the exit code, and whether the job is repeated, if the CI file says so."""
    [(options, repeats)] = await tx.rows(
        tuple[str, int],
        """SELECT j.options, (SELECT count(*) FROM pipeline_jobs o
               WHERE o.pipeline_id = j.pipeline_id AND o.name = j.name AND o.retried)
           FROM pipeline_jobs j WHERE j.id = :id""",
        id=job.id,
    )
    config = msgspec.json.decode(options, type=JobConfig)
    if exit_code is not None and exit_code in config.allow_failure_exit_codes:
        return True, False
    if repeats >= config.retry.max or not _repeats(config.retry, reason, exit_code):
        return False, False
    await _clone(tx, [job.id], user_id=None, status="pending")
    return False, True


def _repeats(policy: RetryPolicy, reason: str, exit_code: int | None) -> bool:
    """Whether a failure of this kind is repeated. Exit codes alone take the place of `always`."""
    if policy.exit_codes and exit_code in policy.exit_codes:
        return True
    return reason in policy.when or ("always" in policy.when and not policy.exit_codes)


async def play(tx: Tx, actor: Actor, job_id: int) -> int:
    """Start a manual or delayed job now, as the actor; one that has run is repeated. The id of the job; 400 if it is neither."""
    locked = await lock(tx, job_id)
    if locked is not None and locked[1].run_when == "manual" and locked[1].status in RETRYABLE:
        return await retry(tx, actor, job_id)
    if locked is None or locked[1].status not in PLAYABLE:
        raise errors.bad_request(UNPLAYABLE)
    pipeline, job = locked
    now = clock.now()
    await tx.run(
        """UPDATE pipeline_jobs SET status = 'pending', user_id = :user_id, queued_at = :now, updated_at = :now,
               scheduled_at = NULL
           WHERE id = :id""",
        id=job_id,
        user_id=actor.id or job.user_id,
        now=now,
    )
    await process(tx, actor, pipeline)
    return job_id


async def cancel(tx: Tx, actor: Actor, job_id: int) -> bool:
    """Cancel a job that is not over; whether it was not. A runner that has it learns of it with its next request."""
    locked = await lock(tx, job_id)
    if locked is None or not await _cancel(tx, [job_id]):
        return False
    await process(tx, actor, locked[0])
    return True


async def cancel_pipeline(tx: Tx, actor: Actor, pipeline_id: int, *, interruptible: bool = False) -> None:
    """Cancel every job of the pipeline that is not over, or only those that are `interruptible`.

    Jobs that wait for a manual action stay as they are.
    """
    pipeline = await pipelines.lock(tx, pipeline_id)
    if pipeline is None:
        return
    job_ids: list[int] = await tx.values(
        """SELECT j.id FROM pipeline_jobs j WHERE j.pipeline_id = :id AND NOT j.retried
           AND j.status IN :open AND (j.interruptible OR NOT CAST(:interruptible AS boolean)) ORDER BY j.id""",
        id=pipeline_id,
        interruptible=interruptible,
        open=[status for status in CANCELABLE if status != "manual"],
    )
    if await _cancel(tx, job_ids):
        await process(tx, actor, pipeline)


async def _cancel(tx: Tx, job_ids: list[int]) -> bool:
    if not job_ids:
        return False
    jobs = await tx.rows(
        ChangedJob,
        f"{_JOBS} WHERE j.id IN :ids AND j.status IN :open ORDER BY j.id FOR UPDATE OF j",
        ids=job_ids,
        open=list(CANCELABLE),
    )
    now = clock.now()
    if jobs:
        await tx.run(
            """UPDATE pipeline_jobs SET status = 'canceled', finished_at = :now, updated_at = :now, scheduled_at = NULL
               WHERE id IN :ids""",
            ids=[job.id for job in jobs],
            now=now,
        )
    for job in jobs:
        await _announce(tx, job, "canceled")
    return bool(jobs)


async def retry(tx: Tx, actor: Actor, job_id: int) -> int:
    """Repeat a job that is over: the id of the new one. 403 if it is not over or was repeated already.

    Jobs of later stages that were skipped get another chance.
    """
    locked = await lock(tx, job_id)
    if locked is None or locked[1].status not in RETRYABLE or locked[1].retried:
        raise errors.forbidden(NOT_RETRYABLE)
    [new_id] = await _clone(tx, [job_id], user_id=actor.id or None, status="pending")
    await _reopen_later(tx, new_id)
    await process(tx, actor, locked[0])
    return new_id


async def retry_pipeline(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """Repeat every failed or canceled job of the pipeline; what was skipped gets another chance."""
    pipeline = await pipelines.lock(tx, pipeline_id)
    if pipeline is None:
        return
    ended: list[int] = await tx.values(
        """SELECT j.id FROM pipeline_jobs j WHERE j.pipeline_id = :id AND NOT j.retried
           AND j.status IN ('failed', 'canceled') ORDER BY j.id""",
        id=pipeline_id,
    )
    if not ended:
        return
    await _clone(tx, ended, user_id=actor.id or None)
    await tx.run(
        """UPDATE pipeline_jobs SET status = 'created', updated_at = :now
           WHERE pipeline_id = :id AND NOT retried AND status = 'skipped'""",
        id=pipeline_id,
        now=clock.now(),
    )
    await process(tx, actor, pipeline)


async def set_coverage(tx: Tx, job_id: int, coverage: str) -> None:
    """Store the test coverage that a job has printed; that of its pipeline follows soon."""
    pipeline_ids: list[int] = await tx.values(
        "UPDATE pipeline_jobs SET coverage = :coverage WHERE id = :id RETURNING pipeline_id",
        id=job_id,
        coverage=coverage,
    )
    for pipeline_id in pipeline_ids:
        await enqueue(tx, "pipelines.process", pipeline_id)


async def mark_erased(tx: Tx, actor: Actor, job: FoundJob) -> None:
    """Record that the trace and the files of the job are gone; its token is worth nothing from now on."""
    now = clock.now()
    await tx.run(
        "UPDATE pipeline_jobs SET erased_at = :now, erased_by_id = :user_id, updated_at = :now WHERE id = :id",
        id=job.id,
        user_id=actor.id or None,
        now=now,
    )
    await record(
        tx, "job.erased", actor, subject_id=job.id, project_id=job.project_id, changes={"name": (job.name, None)}
    )


async def lock(tx: Tx, job_id: int) -> tuple[PipelineRow, ChangedJob] | None:
    """The pipeline of the job, and then the job: read when both rows are locked."""
    pipeline = await pipelines.lock_of_job(tx, job_id)
    job = await tx.row(ChangedJob, f"{_JOBS} WHERE j.id = :id FOR UPDATE OF j", id=job_id)
    return None if pipeline is None or job is None else (pipeline, job)


_COPIED: LiteralString = """project_id, pipeline_id, name, stage, stage_index, run_when, protected, interruptible,
    needs, tags, environment, resource_group, start_in, options"""


async def _clone(tx: Tx, job_ids: list[int], *, user_id: int | None, status: str = "created") -> list[int]:
    """A new job in place of each; without a user it belongs to the user of the old one."""
    now, tolerated = clock.now(), await _tolerated(tx, job_ids)
    queued_at: Value = now if status == "pending" else None
    await tx.run("UPDATE pipeline_jobs SET retried = TRUE, updated_at = :now WHERE id IN :ids", ids=job_ids, now=now)
    cloned: list[int] = await tx.values(
        f"""INSERT INTO pipeline_jobs ({_COPIED}, allow_failure, user_id, status, queued_at, created_at, updated_at)
            SELECT {_COPIED}, allow_failure AND id NOT IN :tolerated, coalesce(CAST(:user_id AS bigint), user_id),
                CAST(:status AS text), CAST(:queued_at AS text), :now, :now
            FROM pipeline_jobs WHERE id IN :ids ORDER BY id RETURNING id""",
        ids=job_ids, tolerated=tolerated, user_id=user_id, status=status, queued_at=queued_at, now=now,
    )  # fmt: skip
    await announce_created(tx, cloned, retries=True)
    return sorted(cloned)


async def _tolerated(tx: Tx, job_ids: list[int]) -> list[int]:
    """The jobs of which only an exit code was tolerated: the next run may end with another one."""
    rows = await tx.rows(
        tuple[int, str],
        """SELECT j.id, j.options FROM pipeline_jobs j
           WHERE j.id IN :ids AND j.allow_failure AND j.exit_code IS NOT NULL""",
        ids=job_ids,
    )
    return [job_id for job_id, options in rows if not msgspec.json.decode(options, type=JobConfig).allow_failure]


async def _reopen_later(tx: Tx, job_id: int) -> None:
    """The skipped and manual jobs of later stages are decided again, and the skipped ones that need other jobs."""
    await tx.run(
        """UPDATE pipeline_jobs SET status = 'created', updated_at = :now
           WHERE NOT retried AND id IN (
               SELECT l.id FROM pipeline_jobs l JOIN pipeline_jobs j ON j.pipeline_id = l.pipeline_id
               WHERE j.id = :id AND l.id <> j.id AND (
                   (l.stage_index > j.stage_index AND l.status IN ('skipped', 'manual'))
                   OR (l.needs IS NOT NULL AND l.status = 'skipped')))""",
        id=job_id,
        now=clock.now(),
    )


async def announce_created(tx: Tx, job_ids: list[int], *, retries: bool = False) -> None:
    """Record that these jobs exist now; `retries`: in place of others."""
    for job in await tx.rows(ChangedJob, f"{_JOBS} WHERE j.id IN :ids ORDER BY j.id", ids=sorted(job_ids)):
        await _record(tx, "job.created", job, (None, job.status), retries=retries)


async def _announce(tx: Tx, job: ChangedJob, status: str, *, repeated: bool = False) -> None:
    """Record that the job started or ended. That one waits or is skipped is no event of its own."""
    await _record(tx, "job.updated", job, (job.status, status), repeated=repeated)


async def _record(
    tx: Tx, kind: str, job: ChangedJob, status: tuple[str | None, str], *, repeated: bool = False, retries: bool = False
) -> None:
    await record(
        tx, kind, _actor(job.user_id), subject_id=job.id, project_id=job.project_id,
        changes={
            "status": status, "name": job.name, "ref": job.ref, "tag": job.tag, "sha": job.sha, "pipeline_id": job.pipeline_id,
            "allow_failure": job.allow_failure, "failure_reason": job.failure_reason, "repeated": repeated,
            "retries": retries, "environment": job.environment,
        },
    )  # fmt: skip


def _actor(user_id: int | None) -> Actor:
    return Actor(id=user_id or 0)
