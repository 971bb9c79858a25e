"""What follows for its trace when a job is over."""

from datetime import timedelta
from typing import Any

import msgspec

from mujina.ci.artifacts.operations import FOLDER
from mujina.ci.jobs.operations import set_coverage
from mujina.ci.jobs.rules import REPORT_GRACE
from mujina.ci.language.patterns.regular_expressions import compile_pattern
from mujina.ci.traces import operations
from mujina.ci.traces.coverage import find_coverage
from mujina.ci.traces.reading import find_trace, pieces
from mujina.kernel import clock
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.text.patterns import BadPattern, compiled
from mujina.planning.storage.staging import staged


class _JobOptions(msgspec.Struct):
    """The part of the configuration of a job that is about its trace."""

    coverage: str | None = None


class TraceChanged(Exception):
    """The trace was changed while it was copied into a file: the task runs again."""


@task("traces.read_coverage")
async def read_coverage(run: Run, key: str) -> None:
    """Find the coverage in the trace of a job that is over, if the CI file or the project says how."""
    async with run.database.reading() as tx:
        found = await tx.row(
            tuple[str, str | None],
            """SELECT j.options, p.build_coverage_regex FROM pipeline_jobs j JOIN projects p ON p.id = j.project_id
               WHERE j.id = :id""",
            id=int(key),
        )
    try:
        pattern = None if found is None else _pattern(*found)
    except BadPattern:
        return
    coverage = None if pattern is None else await find_coverage(run.database, int(key), pattern)
    if coverage is not None:
        async with run.database.transaction() as tx:
            await set_coverage(tx, int(key), coverage)


def _pattern(options: str, of_project: str | None) -> Any:
    """The pattern that the CI file has between slashes, else that of the project; None if there is neither."""
    own = msgspec.json.decode(options, type=_JobOptions).coverage
    if own is not None:
        return compile_pattern(own)
    return compiled(of_project) if of_project else None


@task("traces.archive", long=True)
async def archive_trace(run: Run, key: str) -> None:
    """Move the trace into the file store once no runner may add to it; a trace that is there already stays."""
    job_id = int(key)
    async with run.database.reading() as tx:
        finished_at = await tx.value("SELECT j.finished_at FROM pipeline_jobs j WHERE j.id = :id", id=job_id)
        trace = await find_trace(tx, run.services.vault, job_id, running=False)
    if finished_at is None or trace.file is not None:
        return
    if (left := clock.seconds_until(finished_at) + REPORT_GRACE.total_seconds()) > 0:
        async with run.database.transaction() as tx:
            await enqueue(tx, archive_trace.name, key, after=timedelta(seconds=left))
        return
    if not trace.size:
        async with run.database.transaction() as tx:
            await operations.forget_empty(tx, job_id)
        return
    content = pieces(run.services, trace, 0, trace.size)
    async with staged(run.services.files, FOLDER, content) as stored, run.database.transaction() as tx:
        if not await operations.archive(tx, job_id, trace.size, stored):
            raise TraceChanged(key)
