"""Avatars of groups and projects: re-encoded, and as small as those that people upload."""

from pathlib import PurePosixPath

from mujina.accounts.users.profile.avatars import MAX_BYTES, staged_avatar
from mujina.kernel.errors import ApiError
from mujina.kernel.http.forms import Upload
from mujina.moving.move_in import moved
from mujina.moving.move_in.runs import MoveRun
from mujina.moving.sources.operations import SourceError
from mujina.workspaces.groups import avatars as group_avatars
from mujina.workspaces.owners.rules import Owner
from mujina.workspaces.projects import avatars as project_avatars


async def move_avatar(run: MoveRun, owner: Owner, source_id: int, url: str | None) -> None:
    """Bring the image of a group or project, once for each address that it has had at the source."""
    if not url:
        return
    kind = f"{owner.kind} avatar"
    async with run.services.database.reading() as tx:
        known = await moved.find(tx, run.key, kind, source_id)
    if known is not None and known.fingerprint == url:
        return
    try:
        image = Upload(PurePosixPath(url).name, "application/octet-stream", await run.source.avatar(url, MAX_BYTES))
        async with (
            staged_avatar(run.services.files, image, owner.kind) as avatar,
            run.services.database.transaction() as tx,
        ):
            if owner.kind == "group":
                await group_avatars.put(tx, owner.id, avatar)
            else:
                await project_avatars.put(tx, owner.id, avatar)
            await moved.remember(tx, run.key, kind, source_id, owner.id, fingerprint=url, **owner.ids)
            run.report.created["avatars"] += 1
    except SourceError as error:
        run.report.problem(error.address, error.reason)
    except ApiError as error:
        run.report.problem(url, f"The image does not fit: {error}")
