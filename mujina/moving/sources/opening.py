"""Which program wrote an archive, and the source that reads it."""

import hashlib
from pathlib import Path
from typing import Final

import msgspec

from mujina.moving.archives.unpacking import UnusableArchive, unpack
from mujina.moving.archives.writing import FORMAT, MANIFEST, VERSION, ArchiveManifest
from mujina.moving.sources.archive import Archive, ArchiveSource
from mujina.moving.sources.exports.documents import ExportDocuments
from mujina.moving.sources.exports.gitlab import GitLabExport, is_gitlab_export, project_path
from mujina.moving.sources.forge import Forge, ReportProblem

UNKNOWN: Final = "It is no archive of `mujina export`, and no project export of GitLab."


def open_archive(file: Path, folder: Path, max_bytes: int, address: str = "", project: str = "") -> Archive:
    """The archive, unpacked into the empty folder; `UnusableArchive` if it is none that is read.

    What came from it is known by `address`, or else by the archive's digest: no archive poses as another source.
    `project` is the path that the project had, for an export that does not tell.
    """
    members = unpack(file, folder, max_bytes)
    if not address:
        with file.open("rb") as opened:
            address = f"archive:{hashlib.file_digest(opened, 'sha256').hexdigest()[:32]}"
    if MANIFEST in members:
        return Archive(address, _manifest(members[MANIFEST]), members)
    with ExportDocuments(folder, members) as documents:
        if is_gitlab_export(members):
            kind, manifest = "GitLab", ArchiveManifest("", "", project=project_path(project, file.name))
            GitLabExport(documents, manifest.project or "").write()
        else:
            raise UnusableArchive(UNKNOWN)
    return Archive(address, manifest, documents.members, kind, documents.problems)


def source_of(archive: Archive, problem: ReportProblem) -> Forge:
    """The source that reads the archive."""
    return ArchiveSource(archive, problem)


def _manifest(file: Path) -> ArchiveManifest:
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=ArchiveManifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UnusableArchive(f"It has no {MANIFEST}.") from None
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise UnusableArchive("It is an archive of another version.")
    return manifest
