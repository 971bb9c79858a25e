"""Changes of projects."""

from functools import lru_cache
from typing import Annotated, Any

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.accounts.users.rules import UserRow
from mujina.adapters.git import refs
from mujina.adapters.git.git import GitCommandError
from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading.commits import is_branch, is_valid_branch
from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.url import OutboundTarget
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.instance.application_settings.rules import check_visibility, read_settings
from mujina.instance.custom_attributes import operations as attributes
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row, changed_columns, insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import MASTER, Visibility, exceeds
from mujina.kernel.removals import clean_up
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold, slug
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.namespaces.rules import CREATE_PROJECT
from mujina.workspaces.projects.origins.naming import check_name, check_name_taken, check_path, check_path_taken
from mujina.workspaces.projects.origins.ssh_keys import check_host_keys
from mujina.workspaces.projects.params import (
    CreateProject,
    CreateProjectForUser,
    EditProject,
    NewProject,
    ProjectSettings,
    to_url,
)
from mujina.workspaces.projects.removing.with_owner import HIDDEN_PROJECTS
from mujina.workspaces.projects.rules import ProjectRow
from mujina.workspaces.projects.settings import (
    check_settings,
    read_settings_of,
    store_settings,
    visibility_limits,
)

IMPORT_NOT_ALLOWED = "imports are not allowed from that URL"


class HomeNamespace(Row, alias="n"):
    """The namespace in which a project is created, and whether the actor may create one there."""

    id: int
    kind: str
    full_path: Annotated[str, "r.path"]
    visibility: Annotated[Visibility | None, "g.visibility"]
    """The visibility of a group; a user's namespace has none."""
    allowed: Annotated[bool, CREATE_PROJECT]
    limit: Annotated[int, "CASE WHEN u.external THEN 0 ELSE coalesce(u.projects_limit, 0) END"]
    projects: Annotated[
        int, "(SELECT count(*) FROM projects own WHERE own.namespace_id = n.id AND own.deleted_at IS NULL)"
    ]
    owner_id: int | None
    """The owner of a user's namespace."""


async def create(
    tx: Tx,
    vault: Vault,
    actor: Actor,
    change: CreateProject | CreateProjectForUser,
    *,
    owner: UserRow | None = None,
    by_push: bool = False,
) -> int:
    """Create a project in the given namespace, by default in the owner's own; the owner is by default the actor."""
    owner_id = owner.id if owner else actor.id
    home = await _find_home(tx, actor, change.namespace_id or None, owner_id)
    name = change.name if change.name is not UNSET else change.path or ""
    path = change.path if change.path is not UNSET else slug(name)
    settings = await read_settings(tx)
    visibility = _visibility(settings, actor, home, change)
    await _check_new(tx, actor, home, name, path, change)
    branch, initialized = None, False
    if isinstance(change, CreateProject):
        branch = change.default_branch or None
        initialized = bool(change.initialize_with_readme and not change.import_url)
    now, runners_token = clock.now(), secrets.new_token()
    project_id: int = await insert_id(
        tx, "projects", namespace_id=home.id, name=name, name_folded=fold(name), path=path, path_folded=fold(path),
        visibility=visibility, creator_id=owner_id, shared_runners_enabled=settings.shared_runners_enabled,
        runners_token=vault.encrypt(runners_token, "runners_token"), requested_branch=branch, created_at=now,
        runners_token_digest=secrets.digest(runners_token), updated_at=now, last_activity_at=now,
    )  # fmt: skip
    await paths.claim_for_project(tx, project_id, f"{home.full_path}/{path}")
    await store_settings(tx, project_id, change)
    if home.owner_id is not None:
        # Compat: the owner of a personal project is listed as its master.
        await members.add_first(tx, Source("project", project_id), home.owner_id, MASTER)
    changes: dict[str, Any] = {"default_branch": (None, branch)} if branch else {}
    changes |= {"by_push": True} if by_push else {}
    changes |= {"initialize_with_readme": True} if initialized else {}
    await record(tx, "project.created", actor, subject_id=project_id, project_id=project_id, changes=changes)
    return project_id


_SEPARATE = ("name", "path", "visibility", "mirror")
"""Parameters that are not stored with the settings."""
_HIDDEN = ("avatar", "import_url", "import_host_keys")
"""Parameters whose values no event contains: an image, and a URL that may contain a password."""


async def edit(tx: Tx, actor: Actor, project: ProjectRow, change: EditProject) -> None:
    """Apply the change and record it. Only owners rename the project or change its visibility: with the tree locked.

    What the change does not name is not written: two edits at once both stand.
    """
    name = change.name if change.name is not UNSET else project.name
    path = change.path if change.path is not UNSET else project.path
    visibility = change.visibility or project.visibility
    if (name, path, visibility) != (project.name, project.path, project.visibility) and not project.owned:
        raise errors.forbidden()
    await _check_edit(tx, actor, project, name, path, change)
    before = await read_settings_of(tx, project.id)
    await tx.run(
        """
        UPDATE projects SET name = coalesce(:name, name), name_folded = coalesce(:name_folded, name_folded),
            path = coalesce(:path, path), path_folded = coalesce(:path_folded, path_folded),
            visibility = coalesce(:visibility, visibility), updated_at = :now,
            default_branch = CASE WHEN default_branch IS NOT NULL THEN coalesce(:branch, default_branch) END
        WHERE id = :id
        """,
        id=project.id, name=change.name or None, name_folded=fold(change.name or "") or None,
        path=change.path or None, path_folded=fold(change.path or "") or None,
        visibility=change.visibility or None, branch=change.default_branch or None, now=clock.now(),
    )  # fmt: skip
    stored = await store_settings(tx, project.id, change)
    if path != project.path:
        await paths.move(tx, project.full_path, f"{_above(project)}/{path}")
    chosen = {name: value for name in _SEPARATE if (value := getattr(change, name)) is not UNSET}
    changes = changed_columns(before, {**stored, **chosen})
    if change.default_branch:
        changes["default_branch"] = (project.default_branch, change.default_branch)
    changes |= {name: (None, "changed") for name in _HIDDEN if getattr(change, name) is not UNSET}
    changes["path_with_namespace"] = (project.full_path, f"{_above(project)}/{path}")
    await record(tx, "project.updated", actor, subject_id=project.id, project_id=project.id, changes=changes)


async def _check_edit(tx: Tx, actor: Actor, project: ProjectRow, name: str, path: str, change: EditProject) -> None:
    problems = Problems()
    ceiling, source = await visibility_limits(tx, project.id)
    check_settings(problems, actor, change, ceiling)
    if change.visibility and change.visibility != project.visibility:
        check_visibility(problems, actor, await read_settings(tx), change.visibility)
    if change.visibility and source and exceeds(change.visibility, source):
        text = f"{change.visibility} is not allowed since the fork source project has lower visibility."
        problems.add("visibility_level", text)
    if name != project.name:
        check_name(problems, name)
        await check_name_taken(tx, problems, project.namespace_id, name)
    if path != project.path:
        check_path(problems, path)
        if fold(path) != fold(project.path):
            await check_path_taken(tx, problems, f"{_above(project)}/{path}")
    problems.refuse()


def _above(project: ProjectRow) -> str:
    return project.full_path.rpartition("/")[0]


async def archive(tx: Tx, actor: Actor, project: ProjectRow, *, archived: bool) -> None:
    """Make the code of the project read-only, or writable again; repeating it changes nothing."""
    if archived == project.archived:
        return
    await update(tx, "projects", {"archived": archived, "updated_at": clock.now()}, id=project.id)
    await record(
        tx, "project.archived" if archived else "project.unarchived", actor,
        subject_id=project.id, project_id=project.id,
    )  # fmt: skip


async def remove(tx: Tx, actor: Actor, project: ProjectRow) -> None:
    """Hide the project from every answer at once; a job that follows the event removes the data."""
    await tx.run("UPDATE projects SET deleted_at = :now WHERE id = :id", id=project.id, now=clock.now())
    await clean_up(tx.product.all(HIDDEN_PROJECTS), tx, [project.id])
    await paths.release_project(tx, project.id)
    await record(
        tx, "project.deleted", actor, subject_id=project.id, project_id=project.id,
        changes={"path_with_namespace": (project.full_path, None)},
    )  # fmt: skip


async def erase(tx: Tx, project_id: int) -> None:
    """Delete the rows of a deleted project and everything that refers to them; repeating it changes nothing."""
    await members.delete_all(tx, Source("project", project_id))
    await attributes.delete_all(tx, "project", [project_id])
    await tx.run("DELETE FROM projects WHERE id = :id AND deleted_at IS NOT NULL", id=project_id)


async def update_last_activity(tx: Tx, event: Event) -> None:
    """Update the time of the last activity: once an hour, so that no writer waits for the row of a busy project, and
    not for confidential events.
    """
    an_hour_ago = _an_hour_before(int(clock.timestamp()))
    if event.project_id is None or event.confidential or (event.project_active_at or "") >= an_hour_ago:
        return
    await tx.run(
        """UPDATE projects SET last_activity_at = :now WHERE id IN (SELECT p.id FROM projects p
           WHERE p.id = :id AND p.last_activity_at < :an_hour_ago FOR NO KEY UPDATE SKIP LOCKED)""",
        id=event.project_id,
        now=event.created_at,
        an_hour_ago=an_hour_ago,
    )


@lru_cache(2)
def _an_hour_before(second: int) -> str:
    return clock.from_seconds(second - 3600)


async def adopt_default_branch(tx: Tx, project_id: int, branch: str) -> bool:
    """Make the branch the default one if there is none yet; whether it did."""
    changed = await tx.run(
        "UPDATE projects SET default_branch = :branch WHERE id = :id AND default_branch IS NULL",
        id=project_id,
        branch=branch,
    )
    return changed > 0


async def _find_home(tx: Tx, actor: Actor, namespace_id: int | None, owner_id: int) -> HomeNamespace:
    """The namespace of this id, else the owner's own; its tree is locked before it is read."""
    if namespace_id is None:
        await lock_trees(tx, owner_id=owner_id)
    else:
        await lock_trees(tx, Ref.of(namespace_id))
    home = await tx.row(
        HomeNamespace,
        f"""
        SELECT {HomeNamespace.columns} FROM namespaces n JOIN routes r ON r.namespace_id = n.id
        LEFT JOIN groups g ON g.id = n.id LEFT JOIN users u ON u.id = n.owner_id
        WHERE n.deleted_at IS NULL AND n.id = coalesce(
            CAST(:namespace_id AS bigint), (SELECT own.id FROM namespaces own WHERE own.owner_id = :owner_id))
        """,
        namespace_id=namespace_id,
        owner_id=owner_id,
        **actor.bound,
    )
    if home is None or not home.allowed:
        raise errors.invalid({"namespace": ["is not valid"], "limit_reached": []})
    if home.kind == "user" and home.projects >= home.limit:
        raise errors.over_limit(f"Your project limit is {home.limit} projects! Please contact your administrator")
    return home


def _visibility(settings: ApplicationSettings, actor: Actor, home: HomeNamespace, change: NewProject) -> Visibility:
    """The requested visibility, or that of the settings, limited by the group above; if the settings allow it."""
    default = settings.default_project_visibility
    limited = home.visibility if home.visibility and exceeds(default, home.visibility) else default
    problems = Problems()
    check_visibility(problems, actor, settings, change.visibility or limited)
    problems.refuse()
    return change.visibility or limited


async def _check_new(tx: Tx, actor: Actor, home: HomeNamespace, name: str, path: str, change: NewProject) -> None:
    problems = Problems()
    check_name(problems, name)
    if change.path is not UNSET or not problems:
        check_path(problems, path)
    check_settings(problems, actor, change, home.visibility)
    if isinstance(change, CreateProject) and change.default_branch and not is_valid_branch(change.default_branch):
        problems.add("default_branch", INVALID)
    if not problems:
        await check_name_taken(tx, problems, home.id, name)
        await check_path_taken(tx, problems, f"{home.full_path}/{path}")
        if problems:
            # Compat: clients of this API family expect the empty key beside the errors.
            raise errors.conflict(problems.found | {"limit_reached": []})
    problems.refuse()


def check_import(services: Services, change: ProjectSettings) -> None:
    """400 unless the outbound guard accepts the URL, if there is one; each connection checks the address again."""
    problems = Problems()
    url = to_url(change.import_url or "")
    over_ssh = url.startswith("ssh://")
    if url and not (
        is_allowed_over_ssh(services, url, password=True) if over_ssh else is_allowed_remote(services, url)
    ):
        problems.add("import_url", IMPORT_NOT_ALLOWED)
    check_host_keys(problems, "import_host_keys", change.import_host_keys or [])
    problems.refuse()


def is_allowed_remote(services: Services, url: str) -> bool:
    """Whether git may talk to the URL as far as it shows without a look at the addresses of its host."""
    outbound = Outbound(services.settings.outbound_allow)
    return outbound.rejection(url) is None and _is_http_port(OutboundTarget.parse(url).port)


def is_allowed_over_ssh(services: Services, url: str, *, password: bool = False) -> bool:
    """Whether git may talk to the URL over SSH as the user whom it names; `password`: whether it may have one."""
    if Outbound(services.settings.outbound_allow).rejection(url, ssh=True) is not None:
        return False
    user, secret = OutboundTarget.parse(url, ssh=True).auth or ("", "")
    return user != "" and (password or secret == "")


def _is_http_port(port: int) -> bool:
    """Whether the port is none of another well-known service."""
    return port in (80, 443) or port >= 1024


async def check_default_branch(services: Services, project: ProjectRow, name: str) -> None:
    """400 if there is no such branch; an empty repository accepts any name and keeps none."""
    if project.default_branch is None:
        return
    repository = RepositoryStorage.of(services.settings.data, project.repository_storage).repository(project.id)
    if not is_branch(opened(repository), name):
        raise missing_branch(name)


def missing_branch(name: str) -> errors.ApiError:
    return errors.invalid({"base": [f"Could not change HEAD: branch '{name}' does not exist"]})


async def update_head(services: Services, project: ProjectRow) -> None:
    """HEAD names the default branch, so that the next clone checks it out. If it cannot be written now, a job does."""
    async with services.database.reading() as tx:
        branch = await tx.value("SELECT p.default_branch FROM projects p WHERE p.id = :id", id=project.id)
    if branch is None:
        return
    repository = RepositoryStorage.of(services.settings.data, project.repository_storage).repository(project.id)
    try:
        await refs.set_head(repository, branch)
    except (GitCommandError, OSError):
        log.warning("HEAD not written", project=project.id)


async def store_runners_token(tx: Tx, project_id: int, encrypted: str, digest: str) -> None:
    """The project's token for registering runners, encrypted, and its digest."""
    await update(tx, "projects", {"runners_token": encrypted, "runners_token_digest": digest}, id=project_id)


def disk_path(services: Services, project: ProjectRow) -> str:
    """Where the repository is, below the folder of its storage and without the ending."""
    storage = RepositoryStorage.of(services.settings.data, project.repository_storage)
    return str(storage.repo_path(project.id).relative_to(storage.root).with_suffix(""))
