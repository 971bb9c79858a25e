"""Archives of projects: written for those who manage a project, and read into a new one."""

from mujina.kernel import errors
from mujina.kernel.http import params
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.kernel.storage.files import SANDBOX
from mujina.moving.project_archives import entities, operations
from mujina.moving.project_archives.entities import ProjectExport, ProjectImport
from mujina.moving.project_archives.params import ImportProject
from mujina.planning.storage.staging import staged_upload
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@post("/projects/:id/export", status=202)
async def request_project_export(call: Call, id: Ref) -> dict[str, str]:
    """Write an archive of the project, in the background."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.request_export(tx, call.actor, project.id)
    return {"message": "202 Accepted"}


@get("/projects/:id/export")
async def show_project_export(call: Call, id: Ref) -> ProjectExport:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_export(tx, call.actor, project.id)


@get("/projects/:id/export/download")
async def download_project_export(call: Call, id: Ref) -> Response:
    """Download the archive; 404 before it is finished, and after a day."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        found = await operations.find_archive(tx, project.id, "export")
    try:
        pieces = await call.services.files.pieces(errors.or_not_found(found.file, "Project Export"))
    except FileNotFoundError:
        raise errors.not_found("Project Export") from None
    headers = {**SANDBOX, "Content-Disposition": f'attachment; filename="{project.path}.tar.gz"'}
    return Response(pieces, 200, headers, "application/gzip")


@post("/projects/import", streamed=True)
async def import_project_archive(call: Call) -> ProjectImport:
    """Create a private project from an archive of another one: a form with `path`, and the archive as `file`."""
    max_size = call.services.settings.max_archive_megabytes << 20
    names = ImportProject.__struct_fields__
    async with staged_upload(call.services.files, operations.FOLDER, call.request, "file", names, max_size) as upload:
        if upload.stored is None:
            raise errors.missing("file")
        change = params.read(ImportProject, {**upload.fields})
        async with call.transaction() as tx:
            project_id = await operations.create_from_archive(tx, call.services, call.actor, change, upload.stored.file)
            return await entities.load_import(tx, call.actor, project_id)


@get("/projects/:id/import")
async def show_project_import(call: Call, id: Ref) -> ProjectImport:
    """Show how far the import of a project is."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_import(tx, call.actor, project.id)
