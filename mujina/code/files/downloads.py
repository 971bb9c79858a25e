"""Files and archives of a repository as downloads."""

from urllib.parse import quote

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository, ResolvedCommit
from mujina.code.files import operations
from mujina.code.files.archives import operations as archives
from mujina.code.files.archives.operations import ARCHIVE_FORMATS, WHOLE, ArchiveFormat, ArchivePart, RepositoryArchive
from mujina.code.files.views import is_binary
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.services import Services
from mujina.kernel.storage.files import raw_headers
from mujina.kernel.storage.opening import open_file
from mujina.workspaces.projects.rules import ProjectRow

SAFE = {
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
"""Files of a repository are untrusted: a browser never shows one as a page of this site."""


async def archive(
    services: Services,
    project: ProjectRow,
    found: ResolvedCommit,
    suffix: str,
    part: ArchivePart = WHOLE,
    *,
    lfs_objects: bool = True,
) -> Response:
    """The files of a commit, or a part of them, as an archive; `suffix` is one of `ARCHIVE_FORMATS`.

    `lfs_objects`: it has the LFS objects of the project in place of the pointers to them.
    """
    await commits.check_tree(found)
    archives.check_part(found, part)
    name = "-".join([project.path, found.name.replace("/", "-"), found.id])
    made = RepositoryArchive(found, ARCHIVE_FORMATS[suffix], name, part)
    objects = await archives.find_objects(services, project.id, found, part) if lfs_objects else {}
    pieces = await archives.begin(services, made, objects)
    return Response(pieces, content_type=made.format.content_type, headers=_named(name, made.format))


def _named(name: str, archive_format: ArchiveFormat) -> dict[str, str]:
    """The header that names the download, in ASCII and in UTF-8."""
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in name
    )
    suffix = archive_format.suffix
    names = f"filename=\"{plain}.{suffix}\"; filename*=UTF-8''{quote(name)}.{suffix}"
    return {"Content-Disposition": f"attachment; {names}"}


def raw_file(code: Repository, blob: operations.Blob) -> Response:
    """The file as a browser may show it: text and most pictures in the window, everything else as a download."""
    content_type, headers = raw_headers(blob.path, text=blob.data is not None and not is_binary(blob.data))
    body = operations.pieces(code, blob) if blob.data is None else blob.data
    return Response(body, content_type=content_type, headers=headers)


async def stored_file(services: Services, name: str) -> Response:
    """The LFS object in this file of the storage, as a download."""
    content_type, headers = raw_headers("")
    pieces = await open_file(services, name, errors.not_found("File"))
    return Response(pieces, content_type=content_type, headers=headers)
