"""The pipelines of a merge request."""

from typing import Final

from mujina.ci.merge_request_pipelines.params import RunMergeRequestPipeline
from mujina.ci.pipelines.merge_requests import run_pipeline
from mujina.ci.pipelines.views.page_view import known_commits, read_pipelines
from mujina.code.commits.operations import code_of
from mujina.code.pipelines.entities import on_branch
from mujina.code.pipelines.rules import READ_PIPELINES
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
_PIPELINES = "/{project}/merge_requests/{iid:int}/pipelines"


@view(_PIPELINES, to=READ_PIPELINES, rights={"code": READ_CODE})
async def show_merge_request_pipelines(request: PageRequest, project: ProjectRow, iid: int, page: Page) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    source_id, branch = found.row.source_project_id, found.row.source_branch
    shas = await commits_with_pipelines(request.services, found.row, source_id) if source_id is not None else []
    own = source_id == project.id and request.rights["code"]
    async with request.reading() as tx:
        selection = on_branch(request.actor, source_id or 0, branch, shas)
        pipelines = await read_pipelines(tx, request.actor, selection, page)
        shown = await read_for_page(tx, request.actor, found, merging=True)
        runnable = await may_run_pipeline(tx, request.actor, shown)
    code = await code_of(request.services, project)
    commits = known_commits(code, [each.pipeline.sha for each in pipelines.items]) if own else {}
    context = {"shown": shown, "pipelines": pipelines, "commits": commits, "own": own, "tab": "pipelines"}
    return HtmlPage(
        "ci/merge_request_pipelines.html", context | {"runnable": runnable, "forked": source_id != project.id}
    )


@form(_PIPELINES, to=READ_PIPELINES)
async def run_merge_request_pipeline(
    request: PageRequest, project: ProjectRow, iid: int, change: RunMergeRequestPipeline
) -> Redirect:
    """Run a pipeline for the head; the code of another project only if the user says so: it runs in their name."""
    async with request.reading() as tx:
        found = await find_merge_request(tx, request.actor, Ref.of(project.id), iid)
    if found.source_project_id != project.id and not change.confirmed:
        raise errors.invalid({"confirmed": [NOT_CONFIRMED]})
    pipeline_id = await run_pipeline(request.services, request.actor, found)
    address = f"{request.here}/merge_requests/{iid}/pipelines"
    return Redirect(address, flash=f"Pipeline #{pipeline_id} was started.")
