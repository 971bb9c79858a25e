"""The pages of jobs: the list, and the forms about one. The page of one is beside its trace."""

from mujina.ci.jobs import entities, operations
from mujina.ci.jobs.params import ListJobs
from mujina.ci.pipelines.rules import find_job
from mujina.code.commits.operations import code_of
from mujina.code.pipelines.rules import READ_JOBS, WRITE_PIPELINES
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow

_ALL = "/{project}/-/jobs"
_ONE = f"{_ALL}/{{job_id:int}}"


@view(_ALL, to=READ_JOBS, rights={"code": READ_CODE})
async def show_jobs(request: PageRequest, project: ProjectRow, query: ListJobs, page: Page) -> HtmlPage:
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        found = await entities.load_page(tx, code, entities.in_project(project.id, query.scope or None), page)
    return HtmlPage("ci/jobs.html", {"jobs": found, "scopes": query.scope or []})


@form(f"{_ONE}/play", to=WRITE_PIPELINES, again=_ONE)
async def play_job(request: PageRequest, project: ProjectRow, job_id: int) -> Redirect:
    async with request.transaction() as tx:
        _, job = await find_job(tx, request.actor, Ref.of(project.id), job_id, to=WRITE_PIPELINES)
        played_id = await operations.play(tx, request.actor, job.id)
    return Redirect(f"{request.here}/-/jobs/{played_id}")


@form(f"{_ONE}/retry", to=WRITE_PIPELINES, again=_ONE)
async def retry_job(request: PageRequest, project: ProjectRow, job_id: int) -> Redirect:
    async with request.transaction() as tx:
        _, job = await find_job(tx, request.actor, Ref.of(project.id), job_id, to=WRITE_PIPELINES)
        new_id = await operations.retry(tx, request.actor, job.id)
    return Redirect(f"{request.here}/-/jobs/{new_id}")


@form(f"{_ONE}/cancel", to=WRITE_PIPELINES, again=_ONE)
async def cancel_job(request: PageRequest, project: ProjectRow, job_id: int) -> Redirect:
    async with request.transaction() as tx:
        _, job = await find_job(tx, request.actor, Ref.of(project.id), job_id, to=WRITE_PIPELINES)
        await operations.cancel(tx, request.actor, job.id)
    return Redirect(f"{request.here}/-/jobs/{job_id}")
