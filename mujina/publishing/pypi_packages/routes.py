"""Python packages: an index for pip and uv, and uploads as twine and uv send them."""

from typing import Final

from mujina.kernel import errors
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http import params
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get, post
from mujina.kernel.permissions.scopes import READ_PACKAGES as READ_SCOPES
from mujina.kernel.permissions.scopes import WRITE_PACKAGES as WRITE_SCOPES
from mujina.planning.storage.staging import staged_upload
from mujina.publishing.packages import operations
from mujina.publishing.packages.downloads import download
from mujina.publishing.packages.entities import Published
from mujina.publishing.packages.rules import (
    READ_PACKAGES,
    find_file_by_content,
    find_packages,
    find_project_to_publish,
)
from mujina.publishing.packages.uploads import begin_upload
from mujina.publishing.pypi_packages import entities
from mujina.publishing.pypi_packages.operations import publish_distribution, uploaded_distribution
from mujina.publishing.pypi_packages.params import UploadDistribution
from mujina.publishing.pypi_packages.rules import normalize
from mujina.workspaces.projects.rules import find_project

MAX_PARTS: Final = 2_000
"""Fields of an upload: a package has one for each of its classifiers and dependencies."""
_INDEX: Final[dict[str, str]] = {
    "project": "/projects/:id/packages/pypi/simple",
    "group": "/groups/:id/-/packages/pypi/simple",
}
_PACKAGE: Final = {kind: f"{path}/:package_name" for kind, path in _INDEX.items()}


@get(**_INDEX, anonymous=True, scopes=READ_SCOPES)
async def list_owner_pypi_packages(call: Call, id: Ref, kind: OwnerKind) -> Response:
    """List all Python packages, as programs that install them ask: as HTML or as JSON."""
    async with call.reading() as tx:
        index = await entities.load_index(tx, await find_packages(tx, call.actor, kind, id))
    return entities.index_response(call.request.get_header("Accept"), index, call.request.path)


@get(**_PACKAGE, anonymous=True, scopes=READ_SCOPES)
async def show_owner_pypi_package(call: Call, id: Ref, kind: OwnerKind, package_name: Segment) -> Response:
    """Show the files of a Python package with their checksums, as HTML or as JSON."""
    async with call.reading() as tx:
        packages = await find_packages(tx, call.actor, kind, id)
        package = await entities.load_package(tx, packages, normalize(package_name))
    found = errors.or_not_found(package, "Package")
    return entities.package_response(call.request.get_header("Accept"), found)


@post("/projects/:id/packages/pypi", scopes=WRITE_SCOPES, streamed=True)
async def upload_pypi_package(call: Call, id: Ref) -> Published:
    """Publish a file of a Python package: a form with the metadata, and the file as `content`."""
    project, max_size = await begin_upload(call, id)
    names = UploadDistribution.__struct_fields__
    async with staged_upload(
        call.services.files, operations.FOLDER, call.request, "content", names, max_size, max_parts=MAX_PARTS
    ) as upload:
        if upload.stored is None:
            raise errors.missing("content")
        change = params.read(UploadDistribution, {**upload.fields})
        new = uploaded_distribution(change, upload.filename, upload.stored)
        async with call.transaction() as tx:
            await find_project_to_publish(tx, call.actor, Ref.of(project.id))
            await publish_distribution(tx, call.actor, project.id, new)
    return Published()


@get("/projects/:id/packages/pypi/files/:sha256/:file_name", anonymous=True, scopes=READ_SCOPES)
async def download_pypi_package(call: Call, id: Ref, sha256: Segment, file_name: Segment) -> Response:
    """Download a file of a Python package."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        file = await find_file_by_content(tx, project.id, "pypi", sha256, file_name)
    return await download(call, file)
