"""Imports: projects whose repository is fetched from a URL, once or as a mirror."""

from typing import Annotated

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault
from mujina.workspaces.projects.params import ProjectSettings

PURPOSE = "import_url"
DISABLED = "imports are switched off by your administrator"


class Import(Row, alias="p"):
    """A project whose repository is being fetched."""

    storage: Annotated[str, "p.repository_storage"]
    url: Annotated[str, "p.import_url"]
    """Encrypted."""
    default_branch: str | None
    mirror_user_id: int | None


class ImportState(Row, alias="p"):
    """The facts about the import for masters; never its URL, which may contain a password."""

    status: Annotated[str, "p.import_status"]
    error: Annotated[str | None, "p.import_error"]
    mirror: bool
    sourced: Annotated[bool, "(p.import_url IS NOT NULL)"]
    """Whether a URL is stored."""

    @property
    def running(self) -> bool:
        return self.status in ("scheduled", "started")

    @property
    def retryable(self) -> bool:
        """Whether it failed and its source is known. That of a fork is not: it is forked anew."""
        return self.status == "failed" and self.sourced


async def state_of(tx: Tx, project_id: int) -> ImportState:
    found = await tx.row(ImportState, f"SELECT {ImportState.columns} FROM projects p WHERE p.id = :id", id=project_id)
    return errors.or_not_found(found, "Project")


async def schedule(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    """Fetch the repository of a new project from its import URL, which no answer shows; nothing without one."""
    await _store(tx, vault, actor, project_id, change)
    if change.import_url:
        await _enqueue(tx, actor, project_id)


async def edit(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    """Change the import URL and whether the project mirrors it; nothing if the change contains neither."""
    await _store(tx, vault, actor, project_id, change)
    if change.mirror:
        await _enqueue(tx, actor, project_id)


async def update_mirror(tx: Tx, actor: Actor, project_id: int) -> None:
    """Fetch the source again; 400 if the project is no mirror."""
    if not await tx.value("SELECT p.mirror FROM projects p WHERE p.id = :id", id=project_id):
        raise errors.bad_request("The project is not mirrored")
    await _enqueue(tx, actor, project_id)


async def retry(tx: Tx, actor: Actor, project_id: int) -> None:
    """Fetch the source again after a failure; 400 if the import did not fail, or its URL is no longer stored."""
    state = await state_of(tx, project_id)
    if not state.retryable:
        raise errors.bad_request("There is no failed import to retry")
    await _enqueue(tx, actor, project_id)


async def schedule_mirrors(tx: Tx) -> list[tuple[int, int | None]]:
    """Schedule every mirror that is not being fetched; the id of each project, and of the user it is fetched for."""
    return sorted(
        await tx.rows(
            tuple[int, int | None],
            """UPDATE projects SET import_status = 'scheduled', import_error = NULL
               WHERE mirror AND deleted_at IS NULL AND NOT archived AND import_status IN ('finished', 'failed')
               RETURNING id, mirror_user_id""",
        )
    )


async def _store(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    if change.import_url and "git" not in (await read_settings(tx)).import_sources:
        raise errors.invalid({"import_url": [DISABLED]})
    if change.import_url is not UNSET:
        encrypted = vault.encrypt(change.import_url, PURPOSE) if change.import_url else None
        await tx.run(
            "UPDATE projects SET import_url = :url, mirror = (mirror AND :known) WHERE id = :id",
            id=project_id, url=encrypted, known=encrypted is not None,
        )  # fmt: skip
    if change.mirror is not UNSET:
        source = await tx.value("SELECT p.import_url FROM projects p WHERE p.id = :id", id=project_id)
        if change.mirror and source is None:
            raise errors.invalid({"import_url": [errors.BLANK]})
        columns = {"mirror": change.mirror, "mirror_user_id": actor.id if change.mirror else None}
        await update(tx, "projects", columns, id=project_id)


async def mark_scheduled(tx: Tx, project_id: int) -> None:
    """The project shows that an import waits."""
    await update(tx, "projects", {"import_status": "scheduled", "import_error": None}, id=project_id)


async def _enqueue(tx: Tx, actor: Actor, project_id: int) -> None:
    await mark_scheduled(tx, project_id)
    await record(tx, "project.import_requested", actor, subject_id=project_id, project_id=project_id)


async def begin(tx: Tx, project_id: int) -> Import | None:
    """Mark the import as started; None if there is nothing to fetch."""
    await tx.run(
        "UPDATE projects SET import_status = 'started' WHERE id = :id AND import_status = 'scheduled'", id=project_id
    )
    return await tx.row(
        Import,
        f"""SELECT {Import.columns} FROM projects p
           WHERE p.id = :id AND p.deleted_at IS NULL AND p.import_status = 'started' AND p.import_url IS NOT NULL""",
        id=project_id,
    )
