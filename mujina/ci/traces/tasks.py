"""What follows for its trace when a job is over."""

from datetime import timedelta

import msgspec

from mujina.ci.artifacts.operations import staged
from mujina.ci.jobs.operations import set_coverage
from mujina.ci.jobs.rules import AFTERWARDS
from mujina.ci.language.patterns.regular_expressions import BadPattern, compile_pattern
from mujina.ci.traces import operations
from mujina.ci.traces.coverage import find_coverage
from mujina.ci.traces.reading import find_trace, pieces
from mujina.kernel import clock
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task


class _JobOptions(msgspec.Struct):
    """The part of the configuration of a job that is about its trace."""

    coverage: str | None = None


class TraceChanged(Exception):
    """The trace was changed while it was copied into a file: the task runs again."""


@task("traces.read_coverage")
async def read_coverage(run: Run, key: str) -> None:
    """Find the coverage in the trace of a job that is over, if the CI file says how."""
    async with run.database.reading() as tx:
        options = await tx.value("SELECT j.options FROM pipeline_jobs j WHERE j.id = :id", id=int(key))
    pattern = None if options is None else msgspec.json.decode(options, type=_JobOptions).coverage
    if pattern is None:
        return
    try:
        coverage = await find_coverage(run.database, int(key), compile_pattern(pattern))
    except BadPattern:
        return
    if coverage is not None:
        async with run.database.transaction() as tx:
            await set_coverage(tx, int(key), coverage)


@task("traces.archive", long=True)
async def archive_trace(run: Run, key: str) -> None:
    """Move the trace into the file store once no runner may add to it; a trace that is there already stays."""
    job_id = int(key)
    async with run.database.reading() as tx:
        finished_at = await tx.value("SELECT j.finished_at FROM pipeline_jobs j WHERE j.id = :id", id=job_id)
        trace = await find_trace(tx, run.services.vault, job_id, running=False)
    if finished_at is None or trace.file is not None:
        return
    if (left := clock.seconds_until(finished_at) + AFTERWARDS.total_seconds()) > 0:
        async with run.database.transaction() as tx:
            await enqueue(tx, archive_trace.name, key, after=timedelta(seconds=left))
        return
    if not trace.size:
        async with run.database.transaction() as tx:
            await operations.forget_empty(tx, job_id)
        return
    content = pieces(run.services, trace, 0, trace.size)
    async with staged(run.services.files, content) as stored, run.database.transaction() as tx:
        if not await operations.archive(tx, job_id, trace.size, stored):
            raise TraceChanged(key)
