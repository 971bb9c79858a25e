"""Generic packages: any files under a name and a version."""

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call, JsonResponse, Response
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, get, put
from mujina.kernel.http.streamed_bodies import read_pieces
from mujina.kernel.permissions.scopes import READ_PACKAGES as READ_SCOPES
from mujina.kernel.permissions.scopes import WRITE_PACKAGES as WRITE_SCOPES
from mujina.planning.storage.staging import PIECE, staged
from mujina.publishing.generic_packages.operations import check_names, check_spelling
from mujina.publishing.packages import operations
from mujina.publishing.packages.downloads import download
from mujina.publishing.packages.entities import PackageFile, Published, to_package_file
from mujina.publishing.packages.params import UploadPackage
from mujina.publishing.packages.rules import (
    READ_PACKAGES,
    PackageName,
    find_newest_file,
    find_package,
    find_package_file,
    find_project_to_publish,
)
from mujina.publishing.packages.uploads import begin_upload, limited
from mujina.workspaces.projects.rules import ProjectRow, find_project


@put(
    "/projects/:id/packages/generic/:package_name/:package_version/*file_name",
    status=201,
    scopes=WRITE_SCOPES,
    streamed=True,
)
async def upload_generic_package(
    call: Call, id: Ref, package_name: Segment, package_version: Segment, file_name: Segment, query: UploadPackage
) -> JsonResponse[PackageFile | Published]:
    """Publish a file: the body as it is. The newest of several files with one name is the one that is downloaded."""
    check_names(package_name, package_version, file_name)
    check_spelling(call.request.path)
    project, max_size = await begin_upload(call, id)
    if (call.request.content_length or 0) > max_size:
        raise errors.bad_request("File is too large")
    pieces = limited(read_pieces(call.request, PIECE), max_size)
    async with staged(call.services.files, operations.FOLDER, pieces) as stored:
        new = operations.NewPackageFile(PackageName("generic", package_name, package_version), file_name, stored)
        file = await _publish(call, project, new, query.status or None)
    return JsonResponse(Published() if query.select is UNSET else file)


async def _publish(call: Call, project: ProjectRow, new: operations.NewPackageFile, status: str | None) -> PackageFile:
    async with call.transaction() as tx:
        await find_project_to_publish(tx, call.actor, Ref.of(project.id))
        package_id, file_id = await operations.publish_file(tx, call.actor, project.id, new)
        if status is not None:
            await operations.set_status(tx, package_id, status)
        return to_package_file(
            await find_package(tx, project.id, package_id), await find_package_file(tx, package_id, file_id)
        )


@get("/projects/:id/packages/generic/:package_name/:package_version/*file_name", anonymous=True, scopes=READ_SCOPES)
async def download_generic_package(
    call: Call, id: Ref, package_name: Segment, package_version: Segment, file_name: Segment
) -> Response:
    """Download the newest file of this name."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        file = await find_newest_file(tx, project.id, PackageName("generic", package_name, package_version), file_name)
    return await download(call, file)
