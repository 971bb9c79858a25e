"""The pages of pipelines: the list, one pipeline with its graph and its jobs, forms that run one, those of a merge request."""

from typing import Any, Final, cast

from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs import operations as job_operations
from mujina.ci.pipelines import entities, filters, merge_requests, operations
from mujina.ci.pipelines.operations import NewPipeline, to_variables
from mujina.ci.pipelines.params import FilterPipelines, ListPipelineJobs, RunMergeRequestPipeline, RunPipeline
from mujina.ci.pipelines.rules import (
    DELETE_PIPELINE,
    READ_JOBS,
    READ_PIPELINE_VARIABLES,
    WRITE_PIPELINES,
    find_pipeline,
    load_protections,
    may_push,
)
from mujina.ci.pipelines.views.page_view import draw, known_commits, read_graph, read_pipelines
from mujina.code.commits.operations import code_of, is_branch
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.code.repositories.browsing import ref_menu
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.merge_requests.views.page_view import find_for_page, read_for_page
from mujina.review.merging.panel import may_run_pipeline
from mujina.review.pipelines.operations import commits_with_pipelines
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow

NOT_CONFIRMED: Final = "must be checked: the pipeline runs the code of another project in your name"
_ALL = "/{project}/pipelines"
_ONE = f"{_ALL}/{{pipeline_id:int}}"
_OF_MERGE_REQUEST = "/{project}/merge_requests/{iid:int}/pipelines"
_RIGHTS = {"code": READ_CODE, "jobs": READ_JOBS, "write": WRITE_PIPELINES, "delete": DELETE_PIPELINE}


@view(_ALL, to=READ_PIPELINES, rights=_RIGHTS)
async def show_pipelines(request: PageRequest, project: ProjectRow, query: FilterPipelines, page: Page) -> HtmlPage:
    refs = await operations.existing_refs(request.services, project, query.scope) if query.scope else None
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        selection = filters.selected(project.id, query.listed, refs)
        found = await read_pipelines(tx, request.actor, selection, page)
    commits = known_commits(code, [each.pipeline.sha for each in found.items]) if request.rights["code"] else {}
    return HtmlPage("ci/pipelines.html", {"found": found, "query": query, "commits": commits})


@view(f"{_ALL}/new", to=WRITE_PIPELINES, anonymous=False)
async def show_new_pipeline(request: PageRequest, project: ProjectRow) -> HtmlPage:
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        known = await load_protections(tx, request.actor, project)
    refs = ref_menu(code)
    named, given = request.query.get("ref"), request.query.get("var")
    ref = named if isinstance(named, str) else project.default_branch or ""
    allowed = known.allow(ref, tag=not is_branch(code, ref))
    variables = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    context = {
        "ref": ref if allowed else "",
        "refused": None if allowed else ref,
        "refs": [each for each in refs.branches if known.allow(each, tag=False)]
        + [each for each in refs.tags if known.allow(each, tag=True)],
        "variables": "\n".join(f"{key}={value}" for key, value in variables.items() if isinstance(value, str)),
    }
    return HtmlPage("ci/new_pipeline.html", context)


@form(_ALL, to=WRITE_PIPELINES, again=f"{_ALL}/new")
async def run_pipeline(request: PageRequest, project: ProjectRow, change: RunPipeline) -> Redirect:
    new = NewPipeline(source="web", ref=change.ref, variables=to_variables(_read_lines(change.variables)))
    pipeline_id = await operations.create_pipeline(request.services, request.actor, project.id, new)
    return Redirect(f"{request.here}/pipelines/{pipeline_id}")


def _read_lines(text: str) -> list[dict[str, str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    if any("=" not in line for line in lines):
        raise errors.invalid({"variables": ["must have one KEY=value in each line"]})
    pairs = [line.partition("=") for line in lines]
    return [{"key": key.strip(), "value": value} for key, _, value in pairs]


@view(_ONE, to=READ_PIPELINES, rights=_RIGHTS | {"variables": READ_PIPELINE_VARIABLES})
async def show_pipeline(request: PageRequest, project: ProjectRow, pipeline_id: int) -> HtmlPage:
    context = await _read_pipeline(request, project, pipeline_id)
    by_needs = request.query.get("by") == "needs" and context["graph"].has_needs
    context |= {"tab": "needs" if by_needs else "stages", "drawing": draw(context["graph"]) if by_needs else None}
    async with request.reading() as tx:
        allowed = request.rights["variables"] and context["pushable"]
        context["variables"] = await entities.load_variables(tx, request.services.vault, pipeline_id) if allowed else []
    return HtmlPage("ci/pipeline.html", context)


@view(f"{_ONE}/builds", to=READ_JOBS, rights=_RIGHTS)
async def show_pipeline_jobs(
    request: PageRequest, project: ProjectRow, pipeline_id: int, query: ListPipelineJobs, page: Page
) -> HtmlPage:
    context = await _read_pipeline(request, project, pipeline_id)
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        selection = jobs.in_pipeline(pipeline_id, query.scope or None, retried=True)
        context["jobs"] = await jobs.load_page(tx, code, selection, page)
    return HtmlPage("ci/pipeline_jobs.html", context | {"tab": "jobs"})


@form(f"{_ONE}/retry", to=WRITE_PIPELINES, again=_ONE)
async def retry_pipeline(request: PageRequest, project: ProjectRow, pipeline_id: int) -> Redirect:
    async with request.transaction() as tx:
        await find_pipeline(tx, request.actor, Ref.of(project.id), pipeline_id, to=WRITE_PIPELINES)
        await job_operations.retry_pipeline(tx, request.actor, pipeline_id)
    return Redirect(f"{request.here}/pipelines/{pipeline_id}")


@form(f"{_ONE}/cancel", to=WRITE_PIPELINES, again=_ONE)
async def cancel_pipeline(request: PageRequest, project: ProjectRow, pipeline_id: int) -> Redirect:
    async with request.transaction() as tx:
        await find_pipeline(tx, request.actor, Ref.of(project.id), pipeline_id, to=WRITE_PIPELINES)
        await job_operations.cancel_pipeline(tx, request.actor, pipeline_id)
    return Redirect(f"{request.here}/pipelines/{pipeline_id}")


@form(f"{_ONE}/delete", to=DELETE_PIPELINE, again=_ONE)
async def delete_pipeline(request: PageRequest, project: ProjectRow, pipeline_id: int) -> Redirect:
    async with request.transaction() as tx:
        _, pipeline = await find_pipeline(tx, request.actor, Ref.of(project.id), pipeline_id, to=DELETE_PIPELINE)
        await operations.delete_pipeline(tx, request.actor, pipeline)
    return Redirect(f"{request.here}/pipelines", flash="Pipeline deleted.")


async def _read_pipeline(request: PageRequest, project: ProjectRow, pipeline_id: int) -> dict[str, Any]:
    """What the pages of one pipeline share."""
    async with request.reading() as tx:
        _, found = await find_pipeline(tx, request.actor, Ref.of(project.id), pipeline_id)
        pipeline = errors.or_not_found(await pipelines.full(tx, request.actor, found.id), "Pipeline")
        graph = await read_graph(tx, found.id, jobs=request.rights["jobs"])
        pushable = await may_push(tx, request.actor, project, found.ref, tag=found.tag)
    code = await code_of(request.services, project)
    commits = known_commits(code, [found.sha]) if request.rights["code"] else {}
    return {
        "pipeline": pipeline, "graph": graph, "commit": commits.get(found.sha),
        "pushable": pushable, "writable": request.rights["write"] and pushable,
    }  # fmt: skip


@view(_OF_MERGE_REQUEST, to=READ_PIPELINES, rights={"code": READ_CODE})
async def show_merge_request_pipelines(request: PageRequest, project: ProjectRow, iid: int, page: Page) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    source_id, branch = found.row.source_project_id, found.row.source_branch
    shas = await commits_with_pipelines(request.services, found.row, source_id) if source_id is not None else []
    own = source_id == project.id and request.rights["code"]
    async with request.reading() as tx:
        selection = pipelines.on_branch(request.actor, source_id or 0, branch, shas)
        listed = await read_pipelines(tx, request.actor, selection, page)
        shown = await read_for_page(tx, request.actor, found, merging=True)
        runnable = await may_run_pipeline(tx, request.actor, shown)
    code = await code_of(request.services, project)
    commits = known_commits(code, [each.pipeline.sha for each in listed.items]) if own else {}
    context = {"shown": shown, "pipelines": listed, "commits": commits, "own": own, "tab": "pipelines"}
    return HtmlPage(
        "ci/merge_request_pipelines.html", context | {"runnable": runnable, "forked": source_id != project.id}
    )


@form(_OF_MERGE_REQUEST, to=READ_PIPELINES)
async def run_merge_request_pipeline(
    request: PageRequest, project: ProjectRow, iid: int, change: RunMergeRequestPipeline
) -> Redirect:
    """Run a pipeline for the head; the code of another project only if the user says so: it runs in their name."""
    async with request.reading() as tx:
        found = await find_merge_request(tx, request.actor, Ref.of(project.id), iid)
    if found.source_project_id != project.id and not change.confirmed:
        raise errors.invalid({"confirmed": [NOT_CONFIRMED]})
    pipeline_id = await merge_requests.run_pipeline(request.services, request.actor, found)
    address = f"{request.here}/merge_requests/{iid}/pipelines"
    return Redirect(address, flash=f"Pipeline #{pipeline_id} was started.")
