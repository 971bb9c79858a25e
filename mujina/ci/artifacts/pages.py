"""The artifacts of a job: its archive, the files in it, and the button that keeps them."""

from typing import Final

import msgspec

from mujina.ci.artifacts import operations
from mujina.ci.artifacts.archives import BadArchive, list_entries
from mujina.ci.artifacts.downloads import download, download_file, opener_of
from mujina.ci.artifacts.rules import ArtifactRow, find_readable_archive, no_artifacts
from mujina.ci.pipelines.rules import FoundJob, find_job
from mujina.code.pipelines.rules import READ_JOBS, WRITE_PIPELINES
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import ProjectRow

_JOB = "/{project}/-/jobs/{job_id:int}"
MAX_LISTED: Final = 1_000
"""Entries of a folder that a page shows."""


class FolderEntry(msgspec.Struct, frozen=True):
    """A file or folder of an archive."""

    name: str
    size: int | None
    """None: a folder."""


@view(f"{_JOB}/artifacts/download", to=READ_JOBS)
async def download_artifacts(request: PageRequest, project: ProjectRow, job_id: int) -> Response:
    _, archive = await _find(request, project, job_id)
    return await download(request.services, request.http, archive)


@view(f"{_JOB}/artifacts/raw/{{path:path}}", to=READ_JOBS)
async def download_artifact_file(request: PageRequest, project: ProjectRow, job_id: int, path: str) -> Response:
    _, archive = await _find(request, project, job_id)
    return await download_file(request.services, archive, path)


@view(f"{_JOB}/artifacts/browse", to=READ_JOBS)
async def browse_artifacts(request: PageRequest, project: ProjectRow, job_id: int) -> HtmlPage:
    return await _browse(request, project, job_id, "")


@view(f"{_JOB}/artifacts/browse/{{path:path}}", to=READ_JOBS)
async def browse_artifact_folder(request: PageRequest, project: ProjectRow, job_id: int, path: str) -> HtmlPage:
    return await _browse(request, project, job_id, path.strip("/"))


@form(f"{_JOB}/artifacts/keep", to=WRITE_PIPELINES, again=_JOB)
async def keep_artifacts(request: PageRequest, project: ProjectRow, job_id: int) -> Redirect:
    async with request.transaction() as tx:
        _, job = await find_job(tx, request.actor, Ref.of(project.id), job_id, to=WRITE_PIPELINES)
        await operations.keep(tx, job.id)
    return Redirect(f"{request.here}/-/jobs/{job_id}", flash="The artifacts are kept.")


async def _find(request: PageRequest, project: ProjectRow, job_id: int) -> tuple[FoundJob, ArtifactRow]:
    async with request.reading() as tx:
        current, job = await find_job(tx, request.actor, Ref.of(project.id), job_id)
        return job, await find_readable_archive(tx, request.actor, current, job.id)


async def _browse(request: PageRequest, project: ProjectRow, job_id: int, folder: str) -> HtmlPage:
    job, archive = await _find(request, project, job_id)
    start = f"{folder}/" if folder else ""
    found: dict[str, FolderEntry] = {}
    damaged = False
    try:
        async for entry in list_entries(opener_of(request.services, archive.file), archive.size):
            if entry.readable and entry.name.startswith(start) and len(found) <= MAX_LISTED:
                name, slash, _ = entry.name.removeprefix(start).partition("/")
                found[name] = FolderEntry(name, None if slash else entry.size)
    except BadArchive:
        damaged = True
    if folder and not found:
        raise no_artifacts()
    entries = sorted(found.values(), key=lambda entry: (entry.size is not None, entry.name))
    context = {"job": job, "archive": archive, "folder": folder, "entries": entries[:MAX_LISTED], "damaged": damaged}
    return HtmlPage("ci/artifacts.html", context | {"cut": len(entries) > MAX_LISTED})
