"""Jobs."""

from mujina.ci.jobs import entities, operations
from mujina.ci.jobs.entities import ExecutedJob, PipelineJob
from mujina.ci.jobs.params import ListJobs, ListRunnerJobs
from mujina.ci.pipelines.rules import find_job
from mujina.ci.runners.rules import check_managed, find_runner
from mujina.code.pipelines.rules import READ_JOBS, WRITE_PIPELINES
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.kernel.lists.keyset import load_following
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/jobs", anonymous=True)
async def list_jobs(call: Call, id: Ref, query: ListJobs, page: Page) -> Paged[PipelineJob]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_JOBS)
    code = await entities.readable_code(call.services, call.actor, project)
    selection = entities.in_project(project.id, query.scope or None)
    async with call.reading() as tx:
        if query.pagination != "keyset":
            return await entities.load_page(tx, code, selection, page)
        return await load_following(
            tx, selection, entities.NEWEST_FIRST, page, query.cursor,
            lambda rows, page: entities.load_page(tx, code, rows, page),
        )  # fmt: skip


@get("/projects/:id/jobs/:job_id", anonymous=True)
async def show_job(call: Call, id: Ref, job_id: int) -> PipelineJob:
    async with call.reading() as tx:
        project, job = await find_job(tx, call.actor, id, job_id)
    return await entities.load_shown(call.services, call.actor, project, job.id)


@get("/runners/:id/jobs")
async def list_runner_jobs(call: Call, id: int, query: ListRunnerJobs, page: Page) -> Paged[ExecutedJob]:
    """List the jobs that a runner executes or executed, in the projects that the caller may read."""
    async with call.reading() as tx:
        runner = await find_runner(tx, call.actor, id)
    check_managed(call.actor, runner)
    selection = entities.of_runner(runner.id, query.status or None, call.actor)
    return await entities.load_executed_page(call.services, call.actor, selection, query.sort, page)


@post("/projects/:id/jobs/:job_id/cancel")
async def cancel_job(call: Call, id: Ref, job_id: int) -> PipelineJob:
    async with call.transaction() as tx:
        project, job = await find_job(tx, call.actor, id, job_id, to=WRITE_PIPELINES)
        await operations.cancel(tx, call.actor, job.id)
    return await entities.load_shown(call.services, call.actor, project, job.id)


@post("/projects/:id/jobs/:job_id/retry")
async def retry_job(call: Call, id: Ref, job_id: int) -> PipelineJob:
    """Repeat a job that is over."""
    async with call.transaction() as tx:
        project, job = await find_job(tx, call.actor, id, job_id, to=WRITE_PIPELINES)
        new_id = await operations.retry(tx, call.actor, job.id)
    return await entities.load_shown(call.services, call.actor, project, new_id)


@post("/projects/:id/jobs/:job_id/play", status=200)
async def play_job(call: Call, id: Ref, job_id: int) -> PipelineJob:
    """Start a manual job."""
    async with call.transaction() as tx:
        project, job = await find_job(tx, call.actor, id, job_id, to=WRITE_PIPELINES)
        played_id = await operations.play(tx, call.actor, job.id)
    return await entities.load_shown(call.services, call.actor, project, played_id)
