"""Files that texts link to: fetched once, stored under secrets of this instance."""

from collections.abc import Iterable

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id
from mujina.kernel.events import record
from mujina.kernel.http.forms import Upload
from mujina.kernel.permissions.actor import SYSTEM
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.move_in.texts import UPLOAD
from mujina.moving.sources.operations import SourceError
from mujina.planning.uploads.operations import staged_upload


async def bring_files(target: ProjectRun, texts: Iterable[str | None]) -> None:
    """Every file of these texts is here, or a problem says why not; then its link leads to the source."""
    links = {found[0]: found for text in texts if text for found in UPLOAD.finditer(text)}
    for link, found in links.items():
        if link not in target.files:
            try:
                target.files[link] = await _bring(target, found[1], found[2])
            except SourceError as error:
                target.files[link] = target.run.source.upload_address(target.project, found[1], found[2])
                target.run.report.problem(error.address, error.reason)


async def _bring(target: ProjectRun, secret: str, name: str) -> str:
    """The link to the file here."""
    database, key = target.run.services.database, f"{target.project.id}/{secret}/{name}"
    async with database.reading() as tx:
        known = await target.find(tx, "upload", key)
        found = known and await tx.row(
            tuple[str, str], "SELECT f.secret, f.name FROM uploads f WHERE f.id = :id", id=known.id
        )
        max_bytes = (await read_settings(tx)).max_attachment_size * 1024 * 1024
    if not found:
        content = await target.run.source.upload(target.project, secret, name, max_bytes)
        async with (
            staged_upload(target.run.services.files, Upload(name, "application/octet-stream", content)) as file,
            database.transaction() as tx,
        ):
            upload_id: int = await insert_id(
                tx, "uploads", project_id=target.id, secret=file.secret, name=file.name, size=file.size, author_id=None,
                created_at=clock.now(),
            )  # fmt: skip
            await record(tx, "upload.created", SYSTEM, subject_id=upload_id, project_id=target.id)
            await target.remember(tx, "upload", key, upload_id)
        target.run.report.created["files"] += 1
        found = file.secret, file.name
    return f"/uploads/{found[0]}/{found[1]}"
