"""Artifacts: runners upload them, jobs and people download them."""

from mujina.ci.artifacts import operations
from mujina.ci.artifacts.downloads import download, download_file, find_archive_by_token
from mujina.ci.artifacts.entities import ArtifactFile
from mujina.ci.artifacts.operations import NewArtifact
from mujina.ci.artifacts.params import NameJob
from mujina.ci.artifacts.rules import DELETE_ARTIFACTS, find_archive_of_ref, find_readable_archive
from mujina.ci.artifacts.uploads import receive_artifact
from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs.entities import PipelineJob
from mujina.ci.jobs.rules import find_job_of_runner, job_token
from mujina.ci.pipelines.rules import find_job
from mujina.code.pipelines.rules import READ_JOBS, WRITE_PIPELINES
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post
from mujina.kernel.permissions.scopes import API_OR_JOB
from mujina.workspaces.projects.rules import find_project

MEGABYTE = 1024 * 1024


@get("/projects/:id/jobs/:job_id/artifacts", anonymous=True, scopes=API_OR_JOB)
async def download_artifacts(call: Call, id: Ref, job_id: int) -> Response:
    """Download the archive of a job."""
    async with call.reading() as tx:
        project, job = await find_job(tx, call.actor, id, job_id)
        artifact = await find_readable_archive(tx, call.actor, project, job.id)
    return await download(call.services, call.request, artifact)


@get("/projects/:id/jobs/artifacts/*ref_name/download", anonymous=True, scopes=API_OR_JOB)
async def download_artifacts_of_ref(call: Call, id: Ref, ref_name: Segment, query: NameJob) -> Response:
    """Download the archive of a job of the newest successful pipeline of a branch or tag."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_JOBS)
        artifact = await find_archive_of_ref(tx, call.actor, project, ref_name, query.job)
    return await download(call.services, call.request, artifact)


@get("/projects/:id/jobs/artifacts/*ref_name/raw/*artifact_path", anonymous=True)
async def download_artifact_file_of_ref(
    call: Call, id: Ref, ref_name: Segment, artifact_path: Segment, query: NameJob
) -> Response:
    """Download one file out of the archive of a job of the newest successful pipeline of a branch or tag."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_JOBS)
        artifact = await find_archive_of_ref(tx, call.actor, project, ref_name, query.job)
    return await download_file(call.services, artifact, artifact_path)


@get("/projects/:id/jobs/:job_id/artifacts/*artifact_path", anonymous=True)
async def download_artifact_file(call: Call, id: Ref, job_id: int, artifact_path: Segment) -> Response:
    """Download one file out of the archive of a job."""
    async with call.reading() as tx:
        project, job = await find_job(tx, call.actor, id, job_id)
        artifact = await find_readable_archive(tx, call.actor, project, job.id)
    return await download_file(call.services, artifact, artifact_path)


@post("/projects/:id/jobs/:job_id/artifacts/keep", status=200)
async def keep_artifacts(call: Call, id: Ref, job_id: int) -> PipelineJob:
    """Keep the artifacts of a job: they do not expire any more."""
    async with call.transaction() as tx:
        project, job = await find_job(tx, call.actor, id, job_id, to=WRITE_PIPELINES)
        await operations.keep(tx, job.id)
    return await jobs.load_shown(call.services, call.actor, project, job.id)


@delete("/projects/:id/jobs/:job_id/artifacts")
async def delete_artifacts(call: Call, id: Ref, job_id: int) -> None:
    """Delete the artifacts of a job; its trace stays."""
    async with call.transaction() as tx:
        _, job = await find_job(tx, call.actor, id, job_id, to=DELETE_ARTIFACTS)
        await operations.remove_artifacts(tx, job.id)


@delete("/projects/:id/artifacts", status=202)
async def delete_project_artifacts(call: Call, id: Ref) -> dict[str, str]:
    """Delete the artifacts of all jobs of a project, in the background."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=DELETE_ARTIFACTS)
        await operations.request_removal(tx, project.id)
    return {"message": "202 Accepted"}


@post("/jobs/:id/artifacts", anonymous=True, streamed=True)
async def upload_artifact(call: Call, id: int) -> ArtifactFile:
    """Upload a file of a running job, with the token of the job: the part `file` of a multipart body."""
    async with call.reading() as tx:
        _check_enabled(call)
        job = await find_job_of_runner(tx, id, job_token(call), "write")
        max_size = (await read_settings(tx)).max_artifacts_size * MEGABYTE
    async with receive_artifact(call, max_size) as uploaded, call.transaction() as tx:
        await find_job_of_runner(tx, id, job_token(call), "write")
        expire_at = await operations.expiry(tx, uploaded.expire_in)
        artifact = NewArtifact(uploaded.file_type, uploaded.file_format, uploaded.filename, expire_at)
        await operations.store(tx, job.project_id, job.id, artifact, uploaded.stored)
    return ArtifactFile(uploaded.filename, uploaded.stored.size)


@post("/jobs/:id/artifacts/authorize", anonymous=True, status=200)
async def authorize_upload(call: Call, id: int) -> dict[str, str]:
    """Whether the job with this token may upload a file now."""
    async with call.reading() as tx:
        _check_enabled(call)
        await find_job_of_runner(tx, id, job_token(call), "write")
    return {}


@get("/jobs/:id/artifacts", anonymous=True)
async def download_artifacts_as_runner(call: Call, id: int) -> Response:
    """Download the archive of a job with the token of that job or of one that needs it, as the jobs that depend on it do."""
    async with call.reading() as tx:
        artifact = await find_archive_by_token(tx, id, job_token(call))
    return await download(call.services, call.request, artifact)


def _check_enabled(call: Call) -> None:
    if not call.services.settings.artifacts:
        raise errors.not_now()
