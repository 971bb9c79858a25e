"""npm packages: published to projects, installed from projects, groups and, by their scope, from the instance.

Paths whose captures take several segments are tried in the order in which they are written here.
"""

from typing import Final

import msgspec

from mujina.kernel import errors
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, put
from mujina.kernel.http.streamed_bodies import read_pieces
from mujina.kernel.permissions.scopes import READ_PACKAGES as READ_SCOPES
from mujina.kernel.permissions.scopes import WRITE_PACKAGES as WRITE_SCOPES
from mujina.publishing.npm_packages import entities, operations
from mujina.publishing.npm_packages.bodies import receive_document
from mujina.publishing.npm_packages.entities import Done, Packument
from mujina.publishing.npm_packages.rules import MAX_VERSION, check_name, packages_of_scope, version_of
from mujina.publishing.packages.downloads import download
from mujina.publishing.packages.operations import remove_package
from mujina.publishing.packages.rules import (
    DELETE_PACKAGES,
    READ_PACKAGES,
    PackageName,
    find_newest_file,
    find_packages,
    find_project_to_publish,
    find_version,
    load_versions,
    packages_of_project,
)
from mujina.publishing.packages.uploads import begin_upload
from mujina.workspaces.projects.rules import find_project

_PROJECT: Final = "/projects/:id/packages/npm"
_GROUP: Final = "/groups/:id/-/packages/npm"
_TAGS: Final = "-/package/*package_name/dist-tags"


@get(project=f"{_PROJECT}/{_TAGS}", group=f"{_GROUP}/{_TAGS}", anonymous=True, scopes=READ_SCOPES)
async def list_owner_npm_tags(call: Call, id: Ref, kind: OwnerKind, package_name: Segment) -> dict[str, str]:
    """List the tags of an npm package with the versions to which they point."""
    async with call.reading() as tx:
        return await entities.load_tags(tx, await find_packages(tx, call.actor, kind, id), package_name)


@get(f"/packages/npm/{_TAGS}", anonymous=True, scopes=READ_SCOPES)
async def list_npm_tags(call: Call, package_name: Segment) -> dict[str, str]:
    """List the tags of an npm package that is found by its scope."""
    async with call.reading() as tx:
        return await entities.load_tags(tx, packages_of_scope(call.actor, package_name), package_name)


@put(f"{_PROJECT}/{_TAGS}/:tag", scopes=WRITE_SCOPES, streamed=True)
async def set_npm_tag(call: Call, id: Ref, package_name: Segment, tag: Segment) -> Done:
    """Let a tag of an npm package point to the version that the body names."""
    version = await _read_version(call)
    async with call.transaction() as tx:
        project = await find_project_to_publish(tx, call.actor, id)
        await operations.set_tag(tx, call.actor, project.id, package_name, tag, version)
    return Done()


@delete(f"{_PROJECT}/{_TAGS}/:tag", scopes=WRITE_SCOPES)
async def remove_npm_tag(call: Call, id: Ref, package_name: Segment, tag: Segment) -> None:
    """Remove a tag of an npm package."""
    async with call.transaction() as tx:
        project = await find_project_to_publish(tx, call.actor, id)
        await operations.remove_tag(tx, call.actor, project.id, package_name, tag)


@delete(f"{_PROJECT}/*package_name/-/*file_name/-rev/:revision", scopes=WRITE_SCOPES, status=200)
async def unpublish_npm_version(
    call: Call,
    id: Ref,
    package_name: Segment,
    file_name: Segment,
    revision: Segment,  # noqa: ARG001 - see below
) -> Done:
    """Remove the version of an npm package that has this file, whatever was published since."""
    async with call.transaction() as tx:
        project = await find_project_to_publish(tx, call.actor, id, to=DELETE_PACKAGES)
        # Compat: npm puts the whole path of the file behind the address of the registry, and takes a 404 for a success.
        name = package_name.removeprefix(f"api/v4/projects/{project.id}/packages/npm/")
        package = await find_version(tx, project.id, PackageName("npm", name, version_of(name, _base(file_name))))
        await remove_package(tx, call.actor, package)
    return Done()


@get(f"{_PROJECT}/*package_name/-/*file_name", anonymous=True, scopes=READ_SCOPES)
async def download_npm_package(call: Call, id: Ref, package_name: Segment, file_name: Segment) -> Response:
    """Download the file of a version of an npm package."""
    name = _base(file_name)
    package = PackageName("npm", package_name, version_of(package_name, name))
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        file = await find_newest_file(tx, project.id, package, name)
    return await download(call, file)


@put(f"{_PROJECT}/*package_name/-rev/:revision", scopes=WRITE_SCOPES, streamed=True)
async def keep_npm_versions(call: Call, id: Ref, package_name: Segment, revision: Segment) -> Done:  # noqa: ARG001
    """The first step of npm to remove one version. Nothing changes: the removal of its file, which follows, removes it."""
    async with call.reading() as tx:
        project = await find_project_to_publish(tx, call.actor, id, to=DELETE_PACKAGES)
        await entities.load_tags(tx, packages_of_project(project.id), package_name)
    return Done()


@delete(f"{_PROJECT}/*package_name/-rev/:revision", scopes=WRITE_SCOPES, status=200)
async def unpublish_npm_package(call: Call, id: Ref, package_name: Segment, revision: Segment) -> Done:
    """Remove all versions of an npm package; 409 if others were published or removed since the caller looked."""
    async with call.transaction() as tx:
        project = await find_project_to_publish(tx, call.actor, id, to=DELETE_PACKAGES)
        package = await entities.load_package(tx, packages_of_project(project.id), package_name)
        if package.rev != revision:
            raise errors.conflict("The package has changed")
        for each in await load_versions(tx, project.id, "npm", package_name):
            await remove_package(tx, call.actor, each)
    return Done()


@get(project=f"{_PROJECT}/*package_name", group=f"{_GROUP}/*package_name", anonymous=True, scopes=READ_SCOPES)
async def show_owner_npm_package(call: Call, id: Ref, kind: OwnerKind, package_name: Segment) -> Packument:
    """Show an npm package with all of its versions, as npm reads it."""
    async with call.reading() as tx:
        return await entities.load_package(tx, await find_packages(tx, call.actor, kind, id), package_name)


@get("/packages/npm/*package_name", anonymous=True, scopes=READ_SCOPES)
async def show_npm_package(call: Call, package_name: Segment) -> Packument:
    """Show the npm package that is found by its scope: the path of the group or user at the top."""
    async with call.reading() as tx:
        return await entities.load_package(tx, packages_of_scope(call.actor, package_name), package_name)


@put(f"{_PROJECT}/*package_name", scopes=WRITE_SCOPES, streamed=True)
async def publish_npm_package(call: Call, id: Ref, package_name: Segment) -> Done:
    """Publish a version of an npm package, or deprecate versions: the document that npm sends."""
    check_name(package_name)
    project, max_size = await begin_upload(call, id)
    async with receive_document(call, max_size) as received:
        if received.document.name != package_name:
            raise errors.unacceptable("name is not that of the address")
        async with call.transaction() as tx:
            await find_project_to_publish(tx, call.actor, Ref.of(project.id))
            if received.stored is None:
                await operations.deprecate(tx, call.actor, project.id, package_name, received.document)
            else:
                await operations.publish(tx, call.actor, project.id, package_name, received)
    return Done()


async def _read_version(call: Call) -> str:
    """The body: a version as a JSON text."""
    body = b""
    async for piece in read_pieces(call.request, MAX_VERSION):
        body += piece
        if len(body) > 2 * MAX_VERSION:
            raise errors.too_large()
    try:
        return msgspec.json.decode(body, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise errors.malformed_body() from None


def _base(file_name: str) -> str:
    """The file name without the scope that some clients put before it."""
    return file_name.rpartition("/")[2]
