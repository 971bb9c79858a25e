"""Projects."""

from mujina.accounts.users import entities as users
from mujina.accounts.users.entities import UserRef
from mujina.accounts.users.profile.avatars import staged_avatar
from mujina.accounts.users.rules import find_user, find_user_by_ref
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Digits, delete, get, post, put
from mujina.workspaces.groups import entities as group_entities
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.entities import TransferLocation
from mujina.workspaces.groups.params import SearchLocations
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.granting import sharing
from mujina.workspaces.members.lists.all_members import users_of
from mujina.workspaces.owners.rules import ADMIN_OWNER, find_owner, project_owner
from mujina.workspaces.projects import avatars, entities, filters, operations, transfer
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.figures import stars
from mujina.workspaces.projects.origins import forks, imports
from mujina.workspaces.projects.origins.first_files import write_first_file
from mujina.workspaces.projects.params import (
    CreateProject,
    CreateProjectForUser,
    EditProject,
    ForkProject,
    ListProjectGroups,
    ListProjects,
    ListProjectUsers,
    MoveProject,
    ShareProject,
    ShowProject,
)
from mujina.workspaces.projects.rules import ADMIN_PROJECT, FORK_PROJECT, OWN_PROJECT, find_project
from mujina.workspaces.projects.views import shares
from mujina.workspaces.projects.views.basics import SimpleProject
from mujina.workspaces.projects.views.shares import Share
from mujina.workspaces.projects.views.storage import ProjectStorage, Starrer


@get("/projects", anonymous=True)
async def list_projects(call: Call, query: ListProjects, page: Page) -> Paged[Project | SimpleProject]:
    async with call.listing(wide=query.search) as tx:
        selection = filters.found(tx, call.actor, query)
        if query.pagination == "keyset" and query.order_by == "id":
            further = "id_after" if query.sort == "asc" else "id_before"
            projects = await _page(tx, call, selection.uncounted, query, page.with_next, encoded=False)
            return page.before_next(projects.items, lambda project: {further: str(project.id)})
        return await _page(tx, call, selection, query, page)


@get("/users/:user_id/projects", anonymous=True)
async def list_user_projects(
    call: Call, user_id: Ref, query: ListProjects, page: Page
) -> Paged[Project | SimpleProject]:
    async with call.reading() as tx:
        user = await find_user_by_ref(tx, user_id)
    return await _load_page(call, filters.of_user(call.actor, query, user.id), query, page)


@get("/users/:user_id/starred_projects", anonymous=True)
async def list_starred_projects(
    call: Call, user_id: Ref, query: ListProjects, page: Page
) -> Paged[Project | SimpleProject]:
    """List the projects that a user has starred."""
    async with call.reading() as tx:
        user = await find_user_by_ref(tx, user_id)
    return await _load_page(call, filters.starred_by(call.actor, query, user.id), query, page)


@get("/projects/:id", anonymous=True)
async def show_project(call: Call, id: Ref, query: ShowProject) -> Project:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        return await entities.load_one(
            tx, call.services.vault, call.actor, project.id, managed=project.managed,
            statistics=bool(query.statistics), attributes=bool(query.with_custom_attributes),
        )  # fmt: skip


@get("/projects/:id/users", anonymous=True)
async def list_project_users(call: Call, id: Ref, query: ListProjectUsers, page: Page) -> Paged[UserRef]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        selection = users_of(project_owner(project), query.search or "")
        return await users.refs_of(tx, selection, ascending("u.id"), page)


@post("/projects")
async def create_project(call: Call, change: CreateProject) -> Project:
    operations.check_import(call.services, change)
    async with staged_avatar(call.services.files, change.avatar, "project") as avatar, call.transaction() as tx:
        project_id = await operations.create(tx, call.services.vault, call.actor, change)
        await avatars.put(tx, project_id, avatar)
        await imports.schedule(tx, call.services.vault, call.actor, project_id, change)
        project = await _changed(tx, call, project_id)
    if not change.initialize_with_readme or change.import_url:
        return project
    if not await write_first_file(call.services, call.actor, project_id):
        return project
    async with call.reading() as tx:
        return await _changed(tx, call, project_id)


@post("/projects/user/:user_id", admin=True)
async def create_project_for_user(call: Call, user_id: Digits, change: CreateProjectForUser) -> Project:
    """Create a project in the namespace of a user."""
    operations.check_import(call.services, change)
    async with staged_avatar(call.services.files, change.avatar, "project") as avatar, call.transaction() as tx:
        owner = await find_user(tx, user_id)
        project_id = await operations.create(tx, call.services.vault, call.actor, change, owner=owner)
        await avatars.put(tx, project_id, avatar)
        await imports.schedule(tx, call.services.vault, call.actor, project_id, change)
        return await _changed(tx, call, project_id)


@put("/projects/:id")
async def edit_project(call: Call, id: Ref, change: EditProject) -> Project:
    operations.check_import(call.services, change)
    if change.default_branch is not UNSET:
        await _check_default_branch(call, id, change.default_branch)
    async with staged_avatar(call.services.files, change.avatar, "project") as avatar, call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT, lock=change.moves)
        await operations.edit(tx, call.actor, project, change)
        await avatars.put(tx, project.id, avatar)
        await imports.edit(tx, call.services.vault, call.actor, project.id, change)
        changed = await _changed(tx, call, project.id)
    if change.default_branch:
        await operations.update_head(call.services, project)
    return changed


@post("/projects/:id/fork")
async def fork_project(call: Call, id: Ref, change: ForkProject) -> Project:
    async with call.transaction() as tx:
        source = await find_project(tx, call.actor, id, to=FORK_PROJECT)
        project_id = await forks.fork(tx, call.services.vault, call.actor, source, change)
        return await _changed(tx, call, project_id)


@post("/projects/:id/fork/:forked_from_id", admin=True)
async def relate_fork(call: Call, id: Ref, forked_from_id: Ref) -> Project:
    """Declare that a project is a fork of another."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id)
        source = await find_project(tx, call.actor, forked_from_id)
        await forks.relate(tx, call.actor, project, source)
        return await _changed(tx, call, project.id)


@delete("/projects/:id/fork", admin=True)
async def part_fork(call: Call, id: Ref) -> None:
    """Remove the relation between a fork and its origin."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id)
        await forks.unrelate(tx, call.actor, project)


@get("/projects/:id/forks", anonymous=True)
async def list_forks(call: Call, id: Ref, query: ListProjects, page: Page) -> Paged[Project | SimpleProject]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
    return await _load_page(call, filters.forks_of(call.actor, query, project.id), query, page)


@post("/projects/:id/star")
async def star_project(call: Call, id: Ref) -> Project:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id)
        await stars.star(tx, call.actor, project.id)
        return await _changed(tx, call, project.id)


@post("/projects/:id/unstar")
async def unstar_project(call: Call, id: Ref) -> Project:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id)
        await stars.unstar(tx, call.actor, project.id)
        return await _changed(tx, call, project.id)


@get("/projects/:id/starrers", anonymous=True)
async def list_starrers(call: Call, id: Ref, query: ListProjectUsers, page: Page) -> Paged[Starrer]:
    """List the users who have starred a project, the newest star first."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        starred = await stars.given_to(tx, project.id, page, query.search or "")
        return starred.map(lambda row: Starrer(row.starred_at, row.shown()))


@get("/projects/:id/groups", anonymous=True)
async def list_project_groups(call: Call, id: Ref, query: ListProjectGroups, page: Page) -> Paged[TransferLocation]:
    """List the groups above a project, with `with_shared` also those with which it is shared."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        selection = group_filters.of_project(
            call.actor, project.id, project.namespace_id, query.search or "", query.skip_groups or [],
            shared=query.with_shared is True,
        )  # fmt: skip
        return await group_entities.locations(tx, selection, page)


@get("/projects/:id/storage", admin=True)
async def show_project_storage(call: Call, id: Ref) -> ProjectStorage:
    """Show where the repository of a project is, below the folder of its storage."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        created_at = await tx.value("SELECT p.created_at FROM projects p WHERE p.id = :id", id=project.id)
    return ProjectStorage(
        project.id, operations.disk_path(call.services, project), created_at, project.repository_storage
    )


@post("/projects/:id/archive")
async def archive_project(call: Call, id: Ref) -> Project:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=OWN_PROJECT, lock=True)
        await operations.archive(tx, call.actor, project, archived=True)
        return await _changed(tx, call, project.id)


@post("/projects/:id/unarchive")
async def unarchive_project(call: Call, id: Ref) -> Project:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=OWN_PROJECT, lock=True)
        await operations.archive(tx, call.actor, project, archived=False)
        return await _changed(tx, call, project.id)


@put("/projects/:id/transfer")
async def move_project(call: Call, id: Ref, change: MoveProject) -> Project:
    """Transfer a project into another namespace."""
    async with call.transaction() as tx:
        project, target = await transfer.find_namespace_transfer(tx, call.actor, id, Ref(change.namespace.strip()))
        await transfer.transfer(tx, call.actor, project, target)
        return await _changed(tx, call, project.id)


@get("/projects/:id/transfer_locations")
async def list_project_locations(call: Call, id: Ref, query: SearchLocations, page: Page) -> Paged[TransferLocation]:
    """List the groups into which a project may be transferred."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=OWN_PROJECT)
        selection = group_filters.project_locations(call.actor, query.search or "", project.namespace_id)
        return await group_entities.locations(tx, selection, page)


@delete("/projects/:id")
async def delete_project(call: Call, id: Ref) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=OWN_PROJECT, lock=True)
        call.unless_modified(project.updated_at)
        await operations.remove(tx, call.actor, project)


@post("/projects/:id/share")
async def share_project(call: Call, id: Ref, change: ShareProject) -> Share:
    async with call.transaction() as tx:
        shared = await find_owner(tx, call.actor, "project", id, to=ADMIN_OWNER)
        group, expires_on = await find_group(tx, call.actor, Ref.of(change.group_id)), change.expires_at or None
        share_id = await sharing.share(tx, call.actor, shared, group.id, change.group_access, expires_on)
        return await shares.load_one(tx, share_id)


@delete("/projects/:id/share/:group_id")
async def unshare_project(call: Call, id: Ref, group_id: int) -> None:
    async with call.transaction() as tx:
        shared = await find_owner(tx, call.actor, "project", id, to=ADMIN_OWNER)
        call.unless_modified(await sharing.shared_at(tx, shared, group_id))
        await sharing.unshare(tx, call.actor, shared, group_id)


async def _check_default_branch(call: Call, id: Ref, name: str) -> None:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
    await operations.check_default_branch(call.services, project, name)


async def _load_page(
    call: Call, selection: Selection, query: ListProjects, page: Page
) -> Paged[Project | SimpleProject]:
    """One page of the projects that the query selects from these, and how many there are."""
    selection = filters.apply_filters(selection, call.actor, query)
    async with call.reading() as tx:
        return await _page(tx, call, selection.collected("p") if query.search else selection, query, page)


async def _page(
    tx: Tx, call: Call, selection: Selection, query: ListProjects, page: Page, *, encoded: bool = True
) -> Paged[Project | SimpleProject]:
    return await entities.load_page(
        tx, call.services.vault, call.actor, selection, filters.order(query), page,
        simple=bool(query.simple), statistics=bool(query.statistics), attributes=bool(query.with_custom_attributes),
        encoded=encoded,
    )  # fmt: skip


async def _changed(tx: Tx, call: Call, project_id: int) -> Project:
    """The project after a change: in full, without the caller's permissions."""
    return await entities.load_one(tx, call.services.vault, call.actor, project_id, permissions=False)
