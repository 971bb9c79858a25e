"""Exporting a project, and a new project from the archive of another one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import quote

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.html.streamed_forms import is_awaited, take_form
from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import Ref
from mujina.kernel.storage.files import one_piece
from mujina.moving.project_archives import operations
from mujina.moving.project_archives.params import ImportProject
from mujina.planning.storage.staging import StagedFile, staged, staged_upload
from mujina.workspaces.namespaces import entities as namespaces
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, ProjectRow, find_project

_EXPORT: Final = "/{project}/export"
_FIELDS: Final = (*ImportProject.__struct_fields__, "authenticity_token")


@view(_EXPORT, to=ADMIN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
async def show_export(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        found = await operations.find_archive(tx, project.id, "export")
    return HtmlPage("moving/export.html", {"archive": found, "project": project})


@form(_EXPORT, to=ADMIN_PROJECT)
async def request_export(request: PageRequest, project: ProjectRow) -> Redirect:
    async with request.transaction() as tx:
        await operations.request_export(tx, request.actor, project.id)
    return Redirect(f"{request.here}/export", flash="The archive is being written.")


@view("/projects/new/archive")
async def show_new_project_from_archive(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        homes = await namespaces.homes(tx, request.actor)
        imports = "git" in (await read_settings(tx)).import_sources
    context = {"homes": [(home.id, f"/{home.full_path}/") for home in homes], "imports": imports}
    return HtmlPage("moving/new_project_from_archive.html", context)


@form("/projects/new/archive", streamed=True)
async def create_project_from_archive(request: PageRequest) -> Redirect:
    async with _uploaded(request) as stored:
        if stored is None or not stored.size:
            raise errors.invalid({"file": [errors.BLANK]})
        change = request.read_form(ImportProject)
        async with request.transaction() as tx:
            project_id = await operations.create_from_archive(tx, request.services, request.actor, change, stored.file)
            project = await find_project(tx, request.actor, Ref.of(project_id))
    return Redirect(f"/{quote(project.full_path)}/import", flash="Project created.")


@asynccontextmanager
async def _uploaded(request: PageRequest) -> AsyncGenerator[StagedFile | None]:
    """The file of the form in storage, which goes if the block fails; its fields are those of the request from now on."""
    files, sent = request.services.files, request.tree.get("file")
    if is_awaited(request.http):
        max_size = request.services.settings.max_archive_megabytes << 20
        async with staged_upload(files, operations.FOLDER, request.http, "file", _FIELDS, max_size) as upload:
            take_form(request, upload.fields)
            yield upload.stored
    elif isinstance(sent, Upload):
        async with staged(files, operations.FOLDER, one_piece(sent.data)) as stored:
            yield stored
    else:
        yield None
