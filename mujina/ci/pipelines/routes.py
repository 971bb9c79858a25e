"""Pipelines."""

from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs import operations as job_operations
from mujina.ci.jobs.entities import PipelineJob
from mujina.ci.pipelines import entities, filters, operations
from mujina.ci.pipelines.entities import ShownVariable, TestReport, TestReportSummary
from mujina.ci.pipelines.merge_requests import run_pipeline
from mujina.ci.pipelines.operations import NewPipeline, to_variables
from mujina.ci.pipelines.params import CreatePipeline, LatestPipeline, ListPipelineJobs, ListPipelines
from mujina.ci.pipelines.rules import (
    DELETE_PIPELINE,
    READ_JOBS,
    READ_PIPELINE_VARIABLES,
    WRITE_PIPELINES,
    find_pipeline,
)
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline, Pipeline
from mujina.code.pipelines.rules import READ_PIPELINES, newest_of_ref
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.review.merge_requests.rules import find_merge_request
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/pipelines", anonymous=True)
async def list_pipelines(call: Call, id: Ref, query: ListPipelines, page: Page) -> Paged[Pipeline]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PIPELINES)
    refs = await operations.existing_refs(call.services, project, query.scope) if query.scope else None
    async with call.reading() as tx:
        selection = filters.selected(project.id, query, refs)
        return await pipelines.load_page(tx, selection, page, filters.order(query))


# Compat: the newest pipeline, its variables and its reports, and its deletion are younger than the specification.
@get("/projects/:id/pipelines/latest", anonymous=True)
async def show_latest_pipeline(call: Call, id: Ref, query: LatestPipeline) -> FullPipeline:
    """Show the newest pipeline of a branch or tag, by default of the default branch."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PIPELINES)
        pipeline_id = await tx.value(
            f"SELECT {newest_of_ref()}", project_id=project.id, ref=query.ref or project.default_branch or ""
        )
        return await _full(tx, call, errors.or_not_found(pipeline_id, "Pipeline"))


@get("/projects/:id/pipelines/:pipeline_id", anonymous=True)
async def show_pipeline(call: Call, id: Ref, pipeline_id: int) -> FullPipeline:
    async with call.reading() as tx:
        _, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id)
        return await _full(tx, call, pipeline.id)


@post("/projects/:id/pipeline")
async def create_pipeline(call: Call, id: Ref, change: CreatePipeline) -> FullPipeline:
    """Run a pipeline for a branch or tag."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_PIPELINES)
    new = NewPipeline(source="api", ref=change.ref, variables=to_variables(change.variables or []))
    pipeline_id = await operations.create_pipeline(call.services, call.actor, project.id, new)
    async with call.reading() as tx:
        return await _full(tx, call, pipeline_id)


@post("/projects/:id/pipelines/:pipeline_id/retry")
async def retry_pipeline(call: Call, id: Ref, pipeline_id: int) -> FullPipeline:
    """Repeat the failed and canceled jobs of a pipeline."""
    async with call.transaction() as tx:
        _, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id, to=WRITE_PIPELINES)
        await job_operations.retry_pipeline(tx, call.actor, pipeline.id)
        return await _full(tx, call, pipeline.id)


@post("/projects/:id/pipelines/:pipeline_id/cancel", status=200)
async def cancel_pipeline(call: Call, id: Ref, pipeline_id: int) -> FullPipeline:
    """Cancel the jobs of a pipeline that are not over."""
    async with call.transaction() as tx:
        _, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id, to=WRITE_PIPELINES)
        await job_operations.cancel_pipeline(tx, call.actor, pipeline.id)
        return await _full(tx, call, pipeline.id)


@delete("/projects/:id/pipelines/:pipeline_id")
async def delete_pipeline(call: Call, id: Ref, pipeline_id: int) -> None:
    async with call.transaction() as tx:
        _, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id, to=DELETE_PIPELINE)
        call.unless_modified(pipeline.updated_at)
        await operations.delete_pipeline(tx, call.actor, pipeline)


@get("/projects/:id/pipelines/:pipeline_id/jobs", anonymous=True)
async def list_pipeline_jobs(
    call: Call, id: Ref, pipeline_id: int, query: ListPipelineJobs, page: Page
) -> Paged[PipelineJob]:
    """List the jobs of a pipeline, also those that were retried."""
    async with call.reading() as tx:
        project, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id, to=READ_JOBS)
    code = await jobs.readable_code(call.services, call.actor, project)
    async with call.reading() as tx:
        retried = query.include_retried is not False
        return await jobs.load_page(tx, code, jobs.in_pipeline(pipeline.id, query.scope or None, retried=retried), page)


@get("/projects/:id/pipelines/:pipeline_id/bridges", anonymous=True)
async def list_pipeline_bridges(
    call: Call, id: Ref, pipeline_id: int, query: ListPipelineJobs, page: Page  # noqa: ARG001 - there are none
) -> Paged[PipelineJob]:  # fmt: skip
    """List the jobs that start pipelines of other projects: there are none."""
    async with call.reading() as tx:
        await find_pipeline(tx, call.actor, id, pipeline_id, to=READ_JOBS)
    return page.of([], 0)


@get("/projects/:id/pipelines/:pipeline_id/variables")
async def list_pipeline_variables(call: Call, id: Ref, pipeline_id: int) -> list[ShownVariable]:
    """List the variables that a pipeline was started with."""
    async with call.reading() as tx:
        _, pipeline = await find_pipeline(tx, call.actor, id, pipeline_id, to=READ_PIPELINE_VARIABLES)
        return await entities.load_variables(tx, call.services.vault, pipeline.id)


@get("/projects/:id/pipelines/:pipeline_id/test_report", anonymous=True)
async def show_test_report(call: Call, id: Ref, pipeline_id: int) -> TestReport:
    """Show the report of a pipeline's tests: jobs report none."""
    async with call.reading() as tx:
        await find_pipeline(tx, call.actor, id, pipeline_id, to=READ_JOBS)
    return TestReport()


@get("/projects/:id/pipelines/:pipeline_id/test_report_summary", anonymous=True)
async def show_test_report_summary(call: Call, id: Ref, pipeline_id: int) -> TestReportSummary:
    """Show the totals of a pipeline's tests: jobs report none."""
    async with call.reading() as tx:
        await find_pipeline(tx, call.actor, id, pipeline_id, to=READ_JOBS)
    return TestReportSummary()


# Compat: pipelines of merge requests are younger than the specification.
@post("/projects/:id/merge_requests/:merge_request_iid/pipelines")
async def create_merge_request_pipeline(call: Call, id: Ref, merge_request_iid: int) -> Pipeline:
    """Run a pipeline for the head of a merge request, in its source project."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
    pipeline_id = await run_pipeline(call.services, call.actor, request)
    async with call.reading() as tx:
        return pipelines.basic(await _full(tx, call, pipeline_id))


async def _full(tx: Tx, call: Call, pipeline_id: int) -> FullPipeline:
    return errors.or_not_found(await pipelines.full(tx, call.actor, pipeline_id), "Pipeline")
