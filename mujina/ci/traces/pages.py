"""The page of a job with its trace: what follows it while it grows, the raw text, and erasing it."""

from mujina.ci.artifacts.rules import may_download
from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs.states import RETRYABLE, verb_for
from mujina.ci.pipelines.rules import find_job, may_push
from mujina.ci.runner_api.queue import waits_for_resource
from mujina.ci.sites.rules import PAGES_JOB, find_problem_of_job
from mujina.ci.traces.display.windows import read_more, read_part
from mujina.ci.traces.erasing import erase
from mujina.ci.traces.params import FollowTrace, ShownPart
from mujina.ci.traces.reading import find_trace
from mujina.ci.traces.responses import trace_response
from mujina.code.commits.operations import code_of
from mujina.code.pipelines.rules import READ_JOBS, WRITE_PIPELINES
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow

_JOB = "/{project}/-/jobs/{job_id:int}"


@view(_JOB, to=READ_JOBS, rights={"code": READ_CODE, "write": WRITE_PIPELINES})
async def show_job(request: PageRequest, project: ProjectRow, job_id: int, query: ShownPart) -> HtmlPage:
    async with request.reading() as tx:
        current, found = await find_job(tx, request.actor, Ref.of(project.id), job_id)
        writable = request.rights["write"] and await may_push(tx, request.actor, project, found.ref, tag=found.tag)
        trace = await find_trace(tx, request.services.vault, found.id, running=found.status == "running")
    code = await code_of(request.services, project)
    address = f"{request.here}/-/jobs/{found.id}"
    shown = await read_part(request.services, trace, query.part, address, running=found.status == "running")
    async with request.reading() as tx:
        job = await jobs.load_one(tx, code, found.id)
        downloadable = await may_download(tx, request.actor, current, found.id)
        problem = await find_problem_of_job(tx, found.id) if found.name == PAGES_JOB else None
        waits = found.status == "pending" and await waits_for_resource(tx, found.id)
    left = trace.size or job.artifacts
    own = writable and (project.managed or found.user_id == request.actor.id)
    context = {
        "job": job, "size": trace.size, "trace": shown, "writable": writable, "downloadable": downloadable,
        "site_problem": problem,
        "verb": verb_for(found.status) if writable and not found.retried else "",
        "waits_for_resource": waits, "erasable": own and left and found.status in RETRYABLE,
    }  # fmt: skip
    return HtmlPage("ci/job.html", context)


@view(f"{_JOB}/trace", to=READ_JOBS)
async def follow_trace(
    request: PageRequest, project: ProjectRow, job_id: int, query: FollowTrace
) -> HtmlPage | Redirect:
    """What was printed since the page was shown; a page whose job has moved on is loaded anew."""
    async with request.reading() as tx:
        _, found = await find_job(tx, request.actor, Ref.of(project.id), job_id)
        trace = await find_trace(tx, request.services.vault, found.id, running=found.status == "running")
    address = f"{request.here}/-/jobs/{found.id}"
    more = None
    if request.fragment is not None and found.status == query.status:
        more = await read_more(request.services, trace, query.offset, query.line, query.codes)
    if more is None:
        return Redirect(address, whole=True)
    return HtmlPage(
        "ci/more_trace.html", {"more": more, "address": address, "status": query.status}, fragments=("more",)
    )


@view(f"{_JOB}/raw", to=READ_JOBS)
async def read_raw_trace(request: PageRequest, project: ProjectRow, job_id: int) -> Response:
    async with request.reading() as tx:
        _, found = await find_job(tx, request.actor, Ref.of(project.id), job_id)
        trace = await find_trace(tx, request.services.vault, found.id, running=found.status == "running")
    return await trace_response(request.services, trace, request.http.get_header("Range"))


@form(f"{_JOB}/erase", to=WRITE_PIPELINES, again=_JOB)
async def erase_job(request: PageRequest, project: ProjectRow, job_id: int) -> Redirect:
    async with request.transaction() as tx:
        current, job = await find_job(tx, request.actor, Ref.of(project.id), job_id, to=WRITE_PIPELINES)
        await erase(tx, request.actor, current, job)
    return Redirect(f"{request.here}/-/jobs/{job_id}", flash="The job log and artifacts were erased.")
