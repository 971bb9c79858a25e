"""Which program wrote an archive, and the source that reads it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from mujina.moving.archives.unpacking import MAX_HEADER_BYTES, UnusableArchive, list_folder, unpack
from mujina.moving.archives.writing import FORMAT, MANIFEST, VERSION, ArchiveManifest
from mujina.moving.sources.archive import Archive, ArchivedForge, ArchiveKind, ArchiveSource
from mujina.moving.sources.exports.documents import ExportDocuments
from mujina.moving.sources.exports.gitea import GiteaArchive, GiteaDump, find_dump
from mujina.moving.sources.exports.github import GitHubArchive, GitHubMigration, is_github_archive
from mujina.moving.sources.exports.gitlab import GitLabExport, is_gitlab_export, project_path
from mujina.moving.sources.forge import Forge, ReportProblem

UNKNOWN: Final = (
    "It is no archive of `mujina export`, no project export of GitLab, "
    "no dump of Gitea and no migration archive of GitHub."
)
_SOURCES: Final[dict[ArchiveKind, type[ArchivedForge]]] = {"Gitea": GiteaArchive, "GitHub": GitHubArchive}


def open_archive(file: Path, folder: Path, max_bytes: int, address: str = "", project: str = "") -> Archive:
    """The archive, unpacked into the empty folder; `UnusableArchive` if it is none that is read. `file` may be a folder.

    What came from it is known by `address`, or else by the archive's digest: no archive poses as another source.
    `project` is the path that the project had, for an export that does not tell.
    """
    members = list_folder(file) if file.is_dir() else unpack(file, folder, max_bytes)
    address = address or f"archive:{_digest(members if file.is_dir() else {'': file})[:32]}"
    if MANIFEST in members:
        return Archive(address, _manifest(members[MANIFEST]), members)
    with ExportDocuments(folder, members) as documents:
        kind, manifest = _write_documents(documents, project, file.name)
    return Archive(address, manifest, documents.members, kind, documents.problems)


def _write_documents(documents: ExportDocuments, project: str, file_name: str) -> tuple[ArchiveKind, ArchiveManifest]:
    """What the members of an archive are, after they were rewritten."""
    if is_gitlab_export(documents.members):
        path = project_path(project, file_name)
        GitLabExport(documents, path).write()
        return "GitLab", ArchiveManifest("", "", project=path)
    if (folder := find_dump(documents.members)) is not None:
        return "Gitea", GiteaDump(documents, folder).write()
    if is_github_archive(documents.members):
        return "GitHub", GitHubMigration(documents).write()
    raise UnusableArchive(UNKNOWN)


def source_of(archive: Archive, problem: ReportProblem) -> Forge:
    """The source that reads the archive."""
    return _SOURCES.get(archive.kind, ArchiveSource)(archive, problem)


def _digest(files: Mapping[str, Path]) -> str:
    """The digest of the contents of these files and of their names."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        with file.open("rb") as opened:
            digest.update(name.encode("utf-8", "surrogateescape") + hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def _manifest(file: Path) -> ArchiveManifest:
    try:
        with file.open("rb") as opened:
            manifest = msgspec.json.decode(opened.read(MAX_HEADER_BYTES), type=ArchiveManifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnusableArchive(f"It has no {MANIFEST}.") from None
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise UnusableArchive("It is an archive of another version.")
    return manifest
