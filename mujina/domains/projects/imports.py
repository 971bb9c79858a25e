"""Projects whose repository comes from elsewhere: wanted, begun and ended, as the database knows it."""

import msgspec

from mujina.domains.application.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.secrets import Vault

PURPOSE = "import_url"
SWITCHED_OFF = "imports are switched off by your administrator"


class Importing(msgspec.Struct, array_like=True, frozen=True):
    """A project whose repository is on its way."""

    storage: str
    url: str
    """Encrypted."""
    default_branch: str | None


async def schedule(tx: Tx, vault: Vault, actor: Actor, project_id: int, url: str) -> None:
    """The repository is fetched from this address, which nobody is ever shown; nothing happens without one."""
    if not url:
        return
    if "git" not in (await read_settings(tx)).import_sources:
        raise errors.invalid({"import_url": [SWITCHED_OFF]})
    await tx.run("UPDATE projects SET import_url = :url WHERE id = :id", id=project_id, url=vault.encrypt(url, PURPOSE))
    await again(tx, actor, project_id)


async def again(tx: Tx, actor: Actor, project_id: int) -> None:
    """The repository is fetched from where it came from; 400 if it came from nowhere."""
    wanted = await tx.run(
        """UPDATE projects SET import_status = 'scheduled', import_error = NULL
           WHERE id = :id AND import_url IS NOT NULL""",
        id=project_id,
    )
    if not wanted:
        raise errors.bad_request("The project is not mirrored")
    await record(tx, "project.import_wanted", actor, subject_id=project_id, project_id=project_id)


async def begin(tx: Tx, project_id: int) -> Importing | None:
    """The fetching has started; None if there is nothing left to do."""
    await tx.run(
        "UPDATE projects SET import_status = 'started' WHERE id = :id AND import_status = 'scheduled'", id=project_id
    )
    return await tx.row(
        Importing,
        """SELECT p.repository_storage, p.import_url, p.default_branch FROM projects p
           WHERE p.id = :id AND p.deleted_at IS NULL AND p.import_status = 'started' AND p.import_url IS NOT NULL""",
        id=project_id,
    )
