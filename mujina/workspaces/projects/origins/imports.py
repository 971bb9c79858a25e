"""Imports: projects whose repository is fetched from a URL, once or as a mirror."""

from typing import Annotated, LiteralString
from urllib.parse import urlsplit

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row, insert, update
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.workspaces.projects.origins.ssh_keys import BLANK, ONLY_SSH, joined, new_key_pair
from mujina.workspaces.projects.params import ProjectSettings, to_url

PURPOSE = "import_url"
PRIVATE_KEY = "import_keys.private_key"
_SOURCES: LiteralString = "projects p LEFT JOIN import_keys k ON k.project_id = p.id"
DISABLED = "imports are switched off by your administrator"


class Import(Row, alias="p"):
    """A project whose repository is being fetched."""

    storage: Annotated[str, "p.repository_storage"]
    url: Annotated[str, "p.import_url"]
    """Encrypted."""
    default_branch: str | None
    mirror: bool
    mirror_user_id: int | None
    error: Annotated[str | None, "p.import_error"]
    """Why the last import failed."""
    private_key: Annotated[str | None, "k.private_key"]
    """Encrypted; None: there is a password in the URL, or none is needed."""
    host_keys: Annotated[str | None, "k.host_keys"]
    """One on each line; None: it is not fetched over SSH."""

    @property
    def begins_to_fail(self) -> bool:
        """Whether a failure is the first one of a mirror."""
        return self.mirror and self.error is None


class ImportState(Row, alias="p"):
    """The facts about the import for masters; never its URL, which may contain a password."""

    status: Annotated[str, "p.import_status"]
    error: Annotated[str | None, "p.import_error"]
    mirror: bool
    sourced: Annotated[bool, "(p.import_url IS NOT NULL)"]
    """Whether a URL is stored."""
    public_key: Annotated[str | None, "k.public_key"]
    """The key with which the project signs in over SSH."""
    over_ssh: Annotated[bool, "(k.project_id IS NOT NULL)"]

    @property
    def running(self) -> bool:
        return self.status in ("scheduled", "started")

    @property
    def retryable(self) -> bool:
        """Whether it failed and its source is known. That of a fork is not: it is forked anew."""
        return self.status == "failed" and self.sourced


async def state_of(tx: Tx, project_id: int) -> ImportState:
    return await find_row(tx, ImportState, Selection(_SOURCES, "p.id = :id", id=project_id), "Project")


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
            """UPDATE projects SET import_status = 'scheduled'
               WHERE mirror AND deleted_at IS NULL AND NOT archived AND import_status IN ('finished', 'failed')
               RETURNING id, mirror_user_id""",
        )
    )


async def _store(tx: Tx, vault: Vault, actor: Actor, project_id: int, change: ProjectSettings) -> None:
    if change.import_url and "git" not in (await read_settings(tx)).import_sources:
        raise errors.invalid({"import_url": [DISABLED]})
    if change.import_url is not UNSET:
        url = to_url(change.import_url)
        await _store_keys(tx, vault, project_id, url, change.import_host_keys)
        encrypted = vault.encrypt(url, PURPOSE) if url else None
        await tx.run(
            "UPDATE projects SET import_url = :url, mirror = (mirror AND :known) WHERE id = :id",
            id=project_id,
            url=encrypted,
            known=encrypted is not None,
        )
    if change.import_host_keys is not UNSET:
        await _store_host_keys(tx, project_id, change.import_host_keys)
    if change.mirror is not UNSET:
        source = await tx.value("SELECT p.import_url FROM projects p WHERE p.id = :id", id=project_id)
        if change.mirror and source is None:
            raise errors.invalid({"import_url": [errors.BLANK]})
        columns = {"mirror": change.mirror, "mirror_user_id": actor.id if change.mirror else None}
        await update(tx, "projects", columns, id=project_id)


async def _store_keys(tx: Tx, vault: Vault, project_id: int, url: str, host_keys: list[str] | Unset) -> None:
    """Another URL gets nothing that belongs to the former: over SSH it has its own host keys and, without a password, a new key."""
    former: str | None = await tx.value("SELECT p.import_url FROM projects p WHERE p.id = :id", id=project_id)
    if former is not None and _is(vault, former, url):
        return
    await tx.run("DELETE FROM import_keys WHERE project_id = :id", id=project_id)
    if not url.startswith("ssh://"):
        return
    if not host_keys:
        raise errors.invalid({"import_host_keys": [BLANK]})
    keys = {} if urlsplit(url).password else new_key_pair(vault, PRIVATE_KEY)._asdict()
    await insert(tx, "import_keys", project_id=project_id, host_keys=joined(host_keys), **keys)


def _is(vault: Vault, encrypted: str, url: str) -> bool:
    try:
        return vault.decrypt(encrypted, PURPOSE) == url
    except UnreadableSecret:
        return False


async def _store_host_keys(tx: Tx, project_id: int, lines: list[str]) -> None:
    if not lines:
        raise errors.invalid({"import_host_keys": [BLANK]})
    stored = await update(tx, "import_keys", {"host_keys": joined(lines)}, project_id=project_id)
    if not stored:
        raise errors.invalid({"import_host_keys": [ONLY_SSH]})


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
        f"""SELECT {Import.columns} FROM {_SOURCES}
           WHERE p.id = :id AND p.deleted_at IS NULL AND p.import_status = 'started' AND p.import_url IS NOT NULL""",
        id=project_id,
    )
