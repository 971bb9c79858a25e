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
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row
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
    """A job whose status has just changed, with its pipeline (`pl`)."""

    id: int
    project_id: int
    pipeline_id: int
    name: str
    status: str
    allow_failure: bool
    user_id: int | None
    failure_reason: str | None
    runner_id: int | None
    environment: str | None
    ref: Annotated[str, "pl.ref"]
    tag: Annotated[bool, "pl.tag"]
    sha: Annotated[str, "pl.sha"]
    pipeline_status: Annotated[str, "pl.status"]


_CHANGED: LiteralString = f"""SELECT {ChangedJob.columns} FROM pipeline_jobs j
    JOIN pipelines pl ON pl.id = j.pipeline_id WHERE j.id IN :ids ORDER BY j.id"""


async def start(tx: Tx, vault: Vault, job_id: int, runner_id: int) -> str | None:
    """The runner takes the pending job: it is running from now on, and this is its token; None if it is not pending.

    Of several callers one gets the job. The pipeline's row is not locked here: a task computes its status soon after,
    unless it is `running` already.
    """
    token, now = secrets.new_token(), clock.now()
    taken = await tx.run(
        """UPDATE pipeline_jobs SET status = 'running', started_at = :now, updated_at = :now, runner_id = :runner_id,
               token_digest = :digest, token = :token
           WHERE id = :id AND status = 'pending'""",
        id=job_id, now=now, runner_id=runner_id, digest=secrets.digest(token), token=vault.encrypt(token, TOKEN_PURPOSE),
    )  # fmt: skip
    if not taken:
        return None
    [job] = await _announce(tx, [job_id], "pending")
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
    before = await _lock_pipeline(tx, job_id)
    if before is None or before.status not in ("created", "pending", "running"):
        return False
    now = clock.now()
    failed = outcome == "failed"
    await tx.run(
        """UPDATE pipeline_jobs SET status = :status, finished_at = :now, updated_at = :now, failure_reason = :reason,
               exit_code = :exit_code
           WHERE id = :id""",
        id=job_id, status=outcome, now=now, exit_code=exit_code, reason=(reason or "unknown_failure") if failed else None,
    )  # fmt: skip
    repeated = failed and await _follow_failure(tx, job_id, exit_code)
    await _announce(tx, [job_id], before.status, repeated=repeated)
    await process(tx, _actor(before.user_id), before.pipeline_id)
    return True


async def _follow_failure(tx: Tx, job_id: int, exit_code: int | None) -> bool:
    """Tolerate the exit code or repeat the job, if the CI file says so. Whether it is repeated."""
    [(options, pipeline_id, name)] = await tx.rows(
        tuple[str, int, str],
        "SELECT j.options, j.pipeline_id, j.name FROM pipeline_jobs j WHERE j.id = :id",
        id=job_id,
    )
    config = msgspec.json.decode(options, type=JobConfig)
    if exit_code is not None and exit_code in config.allow_failure_exit_codes:
        await tx.run("UPDATE pipeline_jobs SET allow_failure = TRUE WHERE id = :id", id=job_id)
        return False
    [(reason, repeats)] = await tx.rows(
        tuple[str, int],
        """SELECT j.failure_reason, (SELECT count(*) FROM pipeline_jobs o
               WHERE o.pipeline_id = :pipeline_id AND o.name = :name AND o.retried)
           FROM pipeline_jobs j WHERE j.id = :id""",
        id=job_id, pipeline_id=pipeline_id, name=name,
    )  # fmt: skip
    if repeats >= config.retry.max or not _repeats(config.retry, reason, exit_code):
        return False
    await _clone(tx, [job_id], user_id=None, status="pending")
    return True


def _repeats(policy: RetryPolicy, reason: str, exit_code: int | None) -> bool:
    """Whether a failure of this kind is repeated. Exit codes alone take the place of `always`."""
    if policy.exit_codes and exit_code in policy.exit_codes:
        return True
    return reason in policy.when or ("always" in policy.when and not policy.exit_codes)


async def play(tx: Tx, actor: Actor, job_id: int) -> int:
    """Start a manual or delayed job now, as the actor; one that has run is repeated. The id of the job; 400 if it is neither."""
    before = await _lock_pipeline(tx, job_id)
    if before is not None and before.run_when == "manual" and before.status in RETRYABLE:
        return await retry(tx, actor, job_id)
    if before is None or before.status not in PLAYABLE:
        raise errors.bad_request(UNPLAYABLE)
    now = clock.now()
    await tx.run(
        """UPDATE pipeline_jobs SET status = 'pending', user_id = :user_id, queued_at = :now, updated_at = :now,
               scheduled_at = NULL
           WHERE id = :id""",
        id=job_id, user_id=actor.id or before.user_id, now=now,
    )  # fmt: skip
    await process(tx, actor, before.pipeline_id)
    return job_id


async def cancel(tx: Tx, actor: Actor, job_id: int) -> bool:
    """Cancel a job that is not over; whether it was not. A runner that has it learns of it with its next request."""
    before = await _lock_pipeline(tx, job_id)
    if before is None or not await _cancel(tx, [job_id]):
        return False
    await process(tx, actor, before.pipeline_id)
    return True


async def cancel_pipeline(tx: Tx, actor: Actor, pipeline_id: int, *, interruptible: bool = False) -> None:
    """Cancel every job of the pipeline that is not over, or only those that are `interruptible`.

    Jobs that wait for somebody to play them stay as they are.
    """
    if await pipelines.lock(tx, pipeline_id) is None:
        return
    job_ids: list[int] = await tx.values(
        """SELECT j.id FROM pipeline_jobs j WHERE j.pipeline_id = :id AND NOT j.retried
           AND j.status IN :open AND (j.interruptible OR NOT CAST(:interruptible AS boolean)) ORDER BY j.id""",
        id=pipeline_id, interruptible=interruptible, open=[status for status in CANCELABLE if status != "manual"],
    )  # fmt: skip
    if await _cancel(tx, job_ids):
        await process(tx, actor, pipeline_id)


async def _cancel(tx: Tx, job_ids: list[int]) -> bool:
    if not job_ids:
        return False
    before = await tx.rows(
        tuple[int, str],
        "SELECT j.id, j.status FROM pipeline_jobs j WHERE j.id IN :ids AND j.status IN :open ORDER BY j.id FOR UPDATE",
        ids=job_ids, open=list(CANCELABLE),
    )  # fmt: skip
    now = clock.now()
    if before:
        await tx.run(
            """UPDATE pipeline_jobs SET status = 'canceled', finished_at = :now, updated_at = :now, scheduled_at = NULL
               WHERE id IN :ids""",
            ids=[job_id for job_id, _ in before], now=now,
        )  # fmt: skip
    for job_id, status in before:
        await _announce(tx, [job_id], status)
    return bool(before)


async def retry(tx: Tx, actor: Actor, job_id: int) -> int:
    """Repeat a job that is over: the id of the new one. 403 if it is not over or was repeated already.

    Jobs of later stages that were skipped get another chance.
    """
    before = await _lock_pipeline(tx, job_id)
    if before is None or before.status not in RETRYABLE or before.retried:
        raise errors.forbidden(NOT_RETRYABLE)
    [new_id] = await _clone(tx, [job_id], user_id=actor.id or None, status="pending")
    await _reopen_later(tx, new_id)
    await process(tx, actor, before.pipeline_id)
    return new_id


async def retry_pipeline(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """Repeat every failed or canceled job of the pipeline; what was skipped gets another chance."""
    if await pipelines.lock(tx, pipeline_id) is None:
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
        id=pipeline_id, now=clock.now(),
    )  # fmt: skip
    await process(tx, actor, pipeline_id)


async def set_coverage(tx: Tx, job_id: int, coverage: str) -> None:
    """Store the test coverage that a job has printed; that of its pipeline follows soon."""
    pipeline_ids: list[int] = await tx.values(
        "UPDATE pipeline_jobs SET coverage = :coverage WHERE id = :id RETURNING pipeline_id",
        id=job_id, coverage=coverage,
    )  # fmt: skip
    for pipeline_id in pipeline_ids:
        await enqueue(tx, "pipelines.process", pipeline_id)


async def mark_erased(tx: Tx, actor: Actor, job: FoundJob) -> None:
    """Record that the trace and the files of the job are gone; its token is worth nothing from now on."""
    now = clock.now()
    await tx.run(
        "UPDATE pipeline_jobs SET erased_at = :now, erased_by_id = :user_id, updated_at = :now WHERE id = :id",
        id=job.id, user_id=actor.id or None, now=now,
    )  # fmt: skip
    await record(
        tx, "job.erased", actor, subject_id=job.id, project_id=job.project_id, changes={"name": (job.name, None)}
    )


class _LockedJob(Row, alias="j"):
    """A job whose pipeline is locked."""

    pipeline_id: int
    status: str
    run_when: str
    retried: bool
    user_id: int | None


async def _lock_pipeline(tx: Tx, job_id: int) -> _LockedJob | None:
    """The job, read and locked after its pipeline was locked."""
    pipeline_id = await tx.value("SELECT j.pipeline_id FROM pipeline_jobs j WHERE j.id = :id", id=job_id)
    if pipeline_id is None or await pipelines.lock(tx, pipeline_id) is None:
        return None
    return await tx.row(
        _LockedJob, f"SELECT {_LockedJob.columns} FROM pipeline_jobs j WHERE j.id = :id FOR UPDATE", id=job_id
    )


_COPIED: LiteralString = """project_id, pipeline_id, name, stage, stage_index, run_when, allow_failure, protected,
    interruptible, needs, tags, environment, resource_group, start_in, options"""


async def _clone(tx: Tx, job_ids: list[int], *, user_id: int | None, status: str = "created") -> list[int]:
    """A new job in place of each; without a user it belongs to the user of the old one."""
    now = clock.now()
    queued_at: Value = now if status == "pending" else None
    await tx.run("UPDATE pipeline_jobs SET retried = TRUE, updated_at = :now WHERE id IN :ids", ids=job_ids, now=now)
    cloned: list[int] = await tx.values(
        f"""INSERT INTO pipeline_jobs ({_COPIED}, user_id, status, queued_at, created_at, updated_at)
            SELECT {_COPIED}, coalesce(CAST(:user_id AS bigint), user_id), CAST(:status AS text),
                CAST(:queued_at AS text), :now, :now
            FROM pipeline_jobs WHERE id IN :ids ORDER BY id RETURNING id""",
        ids=job_ids, user_id=user_id, status=status, queued_at=queued_at, now=now,
    )  # fmt: skip
    await announce_created(tx, cloned, retries=True)
    return sorted(cloned)


async def _reopen_later(tx: Tx, job_id: int) -> None:
    """The skipped and manual jobs of later stages are decided again, and the skipped ones that need other jobs."""
    await tx.run(
        """UPDATE pipeline_jobs SET status = 'created', updated_at = :now
           WHERE NOT retried AND id IN (
               SELECT l.id FROM pipeline_jobs l JOIN pipeline_jobs j ON j.pipeline_id = l.pipeline_id
               WHERE j.id = :id AND l.id <> j.id AND (
                   (l.stage_index > j.stage_index AND l.status IN ('skipped', 'manual'))
                   OR (l.needs IS NOT NULL AND l.status = 'skipped')))""",
        id=job_id, now=clock.now(),
    )  # fmt: skip


async def announce_created(tx: Tx, job_ids: list[int], *, retries: bool = False) -> None:
    """Record that these jobs exist now; `retries`: in place of others."""
    for job in await tx.rows(ChangedJob, _CHANGED, ids=sorted(job_ids)):
        await _record(tx, "job.created", job, (None, job.status), retries=retries)


async def _announce(tx: Tx, job_ids: list[int], before: str, *, repeated: bool = False) -> list[ChangedJob]:
    """Record that the jobs started or ended. That one waits or is skipped is no event of its own."""
    jobs = await tx.rows(ChangedJob, _CHANGED, ids=job_ids)
    for job in jobs:
        await _record(tx, "job.updated", job, (before, job.status), repeated=repeated)
    return jobs


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
