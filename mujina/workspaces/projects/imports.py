"""Projects whose repository comes from elsewhere: wanted, begun and ended, as the database knows it."""

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.params import UNSET
from mujina.kernel.secrets import Vault
from mujina.workspaces.projects.params import ProjectSettings

PURPOSE = "import_url"
SWITCHED_OFF = "imports are switched off by your administrator"


class Importing(msgspec.Struct, array_like=True, frozen=True):
    """A project whose repository is on its way."""

    storage: str
    url: str
    """Encrypted."""
    default_branch: str | None
    mirror_user_id: int | None


async def schedule(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    """A new project's repository is fetched from this address, which nobody is ever shown; nothing happens without one."""
    await _store(tx, vault, actor, project_id, change)
    if change.import_url:
        await _want(tx, actor, project_id)


async def follow(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    """The project comes from another address, or mirrors it from now on; nothing happens unless one of these is said."""
    await _store(tx, vault, actor, project_id, change)
    if change.mirror:
        await _want(tx, actor, project_id)


async def again(tx: Tx, actor: Actor, project_id: int) -> None:
    """The mirror gets what its source has got; 400 if it is none."""
    if not await tx.value("SELECT p.mirror FROM projects p WHERE p.id = :id", id=project_id):
        raise errors.bad_request("The project is not mirrored")
    await _want(tx, actor, project_id)


async def refresh(tx: Tx) -> list[int]:
    """Every mirror that is not being fetched is to be fetched; which."""
    return sorted(
        await tx.values(
            """UPDATE projects SET import_status = 'scheduled', import_error = NULL
               WHERE mirror AND deleted_at IS NULL AND NOT archived AND import_status IN ('finished', 'failed')
               RETURNING id"""
        )
    )


async def _store(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    if change.import_url and "git" not in (await read_settings(tx)).import_sources:
        raise errors.invalid({"import_url": [SWITCHED_OFF]})
    if change.import_url is not UNSET:
        sealed = vault.encrypt(change.import_url, PURPOSE) if change.import_url else None
        await tx.run(
            "UPDATE projects SET import_url = :url, mirror = (mirror AND :known) WHERE id = :id",
            id=project_id, url=sealed, known=sealed is not None,
        )  # fmt: skip
    if change.mirror is not UNSET:
        source = await tx.value("SELECT p.import_url FROM projects p WHERE p.id = :id", id=project_id)
        if change.mirror and source is None:
            raise errors.invalid({"import_url": [errors.BLANK]})
        await tx.run(
            "UPDATE projects SET mirror = :mirror, mirror_user_id = :user_id WHERE id = :id",
            id=project_id, mirror=change.mirror, user_id=actor.id if change.mirror else None,
        )  # fmt: skip


async def _want(tx: Tx, actor: Actor, project_id: int) -> None:
    await tx.run("UPDATE projects SET import_status = 'scheduled', import_error = NULL WHERE id = :id", id=project_id)
    await record(tx, "project.import_wanted", actor, subject_id=project_id, project_id=project_id)


async def begin(tx: Tx, project_id: int) -> Importing | None:
    """The fetching has started; None if there is nothing left to do."""
    await tx.run(
        "UPDATE projects SET import_status = 'started' WHERE id = :id AND import_status = 'scheduled'", id=project_id
    )
    return await tx.row(
        Importing,
        """SELECT p.repository_storage, p.import_url, p.default_branch, p.mirror_user_id FROM projects p
           WHERE p.id = :id AND p.deleted_at IS NULL AND p.import_status = 'started' AND p.import_url IS NOT NULL""",
        id=project_id,
    )
