"""Handing out jobs to runners, and what runners report about them."""

import asyncio
from typing import Final

import msgspec

from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import commits as reading
from mujina.ci.jobs import operations as jobs
from mujina.ci.jobs.rules import RunnerJob
from mujina.ci.runner_api.dependencies import MissingDependency, find_dependencies
from mujina.ci.runner_api.params import UpdateJob
from mujina.ci.runner_api.payload import CommitFacts, JobPayload, TakenJob, load_payload
from mujina.ci.runner_api.queue import JobQueue, TakenJobRow, find_queues, lock_oldest
from mujina.ci.runners.rules import RunnerRow, authenticate_runner
from mujina.ci.traces import operations as traces
from mujina.ci.variables.job_variables import load_stored
from mujina.ci.variables.predefined import repository_url
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import DatabaseError, UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.monitoring.logs import log
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services

MAX_ATTEMPTS: Final = 5
"""After losing this many jobs in a row to other runners, a runner is asked to retry."""


class _NotExecutable(Exception):
    """A pending job that no runner can execute, for this reason."""

    def __init__(self, job_id: int, reason: str) -> None:
        super().__init__(job_id, reason)
        self.job_id = job_id
        self.reason = reason


async def wait_for_job(
    services: Services, runner: RunnerRow, token: str, seconds: int
) -> tuple[JobPayload | None, str]:
    """The next job for the runner, or None after `seconds`, with the time before the last look.

    A job that comes during the look is newer than that. A runner that is changed while it waits gets no job that it may
    not have any more; 403 if it is removed or has another token.
    """
    looked_at = clock.now()
    payload = await take_job(services, runner)
    while payload is None and seconds > 0:
        await asyncio.sleep(1)
        seconds -= 1
        async with services.database.reading() as tx:
            current = await authenticate_runner(tx, token)
        runner = msgspec.structs.replace(current, name=runner.name, version=runner.version)
        looked_at = clock.now()
        payload = await take_job(services, runner) if runner.active else None
    return payload, looked_at


async def take_job(services: Services, runner: RunnerRow) -> JobPayload | None:
    """The next job for the runner, which no other runner gets; None if none waits for it. 409 if others were faster.

    A job that cannot be executed fails here, and the next one is tried.
    """
    for _ in range(MAX_ATTEMPTS):
        async with services.database.reading() as tx:
            queues = await find_queues(tx, runner)
        if not queues:
            return None
        try:
            taken = await _take(services, runner, queues)
        except UniqueViolation:  # another runner has just started a job of the same resource group
            continue
        except _NotExecutable as error:
            await _fail(services, error.job_id, error.reason)
            continue
        if taken is not None and (payload := await _load(services, runner, taken)) is not None:
            return payload
    raise errors.conflict()


async def _take(services: Services, runner: RunnerRow, queues: list[JobQueue]) -> TakenJob | None:
    async with services.database.transaction() as tx:
        for queue in queues:
            job = await lock_oldest(tx, queue)
            if job is None:
                continue
            try:
                return await _start(tx, services, runner, job)
            except DatabaseError:
                raise
            except MissingDependency:
                raise _NotExecutable(job.id, "missing_dependency_failure") from None
            except Exception as error:
                log.exception("the job cannot be handed out", job_id=job.id)
                raise _NotExecutable(job.id, "runner_system_failure") from error
    return None


async def _start(tx: Tx, services: Services, runner: RunnerRow, job: TakenJobRow) -> TakenJob:
    """The job runs from now on; its trace masks what is secret now, also if variables change while it runs."""
    config, vault = job.config, services.vault
    dependencies = await find_dependencies(tx, job.job.pipeline_id, job.stage_index, config)
    token = await jobs.start(tx, vault, job.job, runner.id)
    stored = await load_stored(tx, vault, job)
    await traces.begin(tx, vault, job.id, [repository_url(job.project.full_path, token)])
    return TakenJob(job, token, config, dependencies, stored)


async def _load(services: Services, runner: RunnerRow, taken: TakenJob) -> JobPayload | None:
    """The job for its runner; a job that cannot be read fails: no runner executes it."""
    try:
        return await load_payload(services, runner, taken, await _read_commit(services, taken))
    except MissingDependency:
        await _fail(services, taken.row.id, "missing_dependency_failure")
    except Exception:  # noqa: BLE001 - whatever it is, the job would stay running without a runner
        log.exception("the job cannot be handed out", job_id=taken.row.id)
        await _fail(services, taken.row.id, "runner_system_failure")
    return None


async def _read_commit(services: Services, taken: TakenJob) -> CommitFacts:
    """The commit of the job, without message and files if the repository has it no longer."""
    repo_path = await repo_path_to_read(services, taken.row.storage, taken.row.project.id)
    paths, sha = {path for cache in taken.config.caches for path in cache.key_files}, taken.row.pipeline.sha

    def read() -> CommitFacts:
        repository = opened(repo_path)
        commit = reading.find_commit_by_id(repository, sha)
        if commit is None:
            return CommitFacts("", {})
        files = {path: reading.file_at(repository, sha, path) for path in paths}
        return CommitFacts(
            reading.info(commit).message, {path: file.id for path, file in files.items() if file is not None}
        )

    return await asyncio.to_thread(read) if (repo_path / "HEAD").exists() else CommitFacts("", {})


async def _fail(services: Services, job_id: int, reason: str) -> None:
    async with services.database.transaction() as tx:
        await jobs.finish(tx, job_id, "failed", reason)


async def report(tx: Tx, vault: Vault, job: RunnerJob, change: UpdateJob) -> str:
    """Apply what the runner says about its job; the status that the job has then. A job that is over stays as it is."""
    status = await _apply_state(tx, job, change)
    if change.trace:
        await traces.replace(tx, vault, job.id, change.trace.encode("utf-8", "surrogatepass"))
    return status


async def _apply_state(tx: Tx, job: RunnerJob, change: UpdateJob) -> str:
    if not job.running:
        return job.status
    if change.state not in ("success", "failed"):
        await jobs.touch(tx, job.id)
        return job.status
    reason = change.failure_reason or None
    exit_code = change.exit_code if isinstance(change.exit_code, int) else None
    outcome = "success" if change.state == "success" else "failed"
    await jobs.finish(tx, job.id, outcome, reason, exit_code=exit_code)
    return outcome
