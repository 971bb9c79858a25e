"""Artifacts as downloads: the whole archive, or one file out of it."""

from collections.abc import AsyncGenerator
from urllib.parse import quote

from mujina.ci.artifacts.archives import (
    MAX_INFLATED,
    ArchiveEntry,
    BadArchive,
    OpenBytes,
    find_entry,
    inflate,
    is_safe,
)
from mujina.ci.artifacts.rules import ArtifactRow, find_archive, find_readable_archive, no_artifacts, open_artifact
from mujina.ci.jobs.credentials import find_job_actor
from mujina.ci.jobs.rules import find_job_of_runner
from mujina.ci.pipelines.rules import find_job
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.bodies import AnyRequest
from mujina.kernel.http.byte_ranges import read_range
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import Ref
from mujina.kernel.services import Services
from mujina.kernel.storage.files import SANDBOX, raw_headers


async def find_archive_by_token(tx: Tx, job_id: int, token: str) -> ArtifactRow:
    """The archive of a job for a job that depends on it; 403 or 404 if there is none for this token.

    The token is that of the job itself, or that of a running job whose user may read the archive.
    """
    try:
        job = await find_job_of_runner(tx, job_id, token, "read")
    except errors.Forbidden:
        actor = await find_job_actor(tx, token)
        project_id = await tx.value("SELECT j.project_id FROM pipeline_jobs j WHERE j.id = :id", id=job_id)
        if actor is None or project_id is None:
            raise
        try:
            project, _ = await find_job(tx, actor, Ref.of(project_id), job_id)
        except errors.ApiError:
            raise errors.forbidden() from None
        return await find_readable_archive(tx, actor, project, job_id)
    return await find_archive(tx, job.id)


async def download(services: Services, http: AnyRequest, artifact: ArtifactRow) -> Response:
    """The archive as it was uploaded, or the part of it that `Range` names."""
    part = read_range(http.get_header("Range"), artifact.size)
    pieces = await open_artifact(services, artifact.file, part.start, part.end)
    headers = {**SANDBOX, **part.headers, "Content-Disposition": _attachment(artifact.filename)}
    return Response(pieces, part.status, headers, "application/octet-stream")


def _attachment(name: str) -> str:
    plain = "".join(letter if letter.isascii() and letter.isprintable() else "_" for letter in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"


async def download_file(services: Services, artifact: ArtifactRow, path: str) -> Response:
    """One file out of the archive; 404 if it has none of this name that may be served."""
    try:
        entry = await find_entry(opener_of(services, artifact.file), artifact.size, path) if is_safe(path) else None
    except BadArchive:
        entry = None
    if entry is None:
        raise no_artifacts()
    if entry.size > MAX_INFLATED:
        raise errors.too_large()
    content_type, headers = raw_headers(path)
    headers["Content-Length"] = str(entry.size)
    return Response(await _started(services, artifact, entry), headers=headers, content_type=content_type)


async def _started(services: Services, artifact: ArtifactRow, entry: ArchiveEntry) -> AsyncGenerator[bytes]:
    """The content, of which the first piece was read: a file that is damaged from its start is a 404."""
    content = inflate(opener_of(services, artifact.file), artifact.size, entry)
    try:
        first = await anext(content, b"")
    except BadArchive:
        raise no_artifacts() from None

    async def pieces() -> AsyncGenerator[bytes]:
        yield first
        async for piece in content:
            yield piece

    return pieces()


def opener_of(services: Services, file: str) -> OpenBytes:
    """Opens parts of a stored archive."""
    return lambda start, end: open_artifact(services, file, start, end)
