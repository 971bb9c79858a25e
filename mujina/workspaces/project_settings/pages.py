"""The settings of a project: forms in sections with one button each, the dangerous ones last."""

from urllib.parse import quote

import msgspec

from mujina.accounts.users.profile.avatars import staged_avatar, submitted_avatar
from mujina.instance.application_settings.choices import visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import UNSET, Ref
from mujina.workspaces.groups.rules import ADD_GROUP_PROJECT
from mujina.workspaces.owners.rules import check_typed
from mujina.workspaces.project_settings.params import RemoveProject, RenameProject, SaveProject, TransferProject
from mujina.workspaces.projects import avatars, operations
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, ProjectRow, find_project
from mujina.workspaces.projects.settings import read_settings_of, visibility_limits
from mujina.workspaces.projects.transfer import find_transfer, transfer
from mujina.workspaces.projects.views.basics import read_tags

WRONG_PATH = "is not the path of this project"
NO_TARGET = "is not one in which you may create projects"


@view("/{project}/edit", to=ADMIN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
async def show_project_settings(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        stored = await read_settings_of(tx, project.id)
        limits = await visibility_limits(tx, project.id)
        levels = visibility_choices(request.actor, await read_settings(tx), *limits)
    context = {"project": project, "stored": stored, "levels": levels, "topics": read_tags(stored.tag_list)}
    return HtmlPage("workspaces/project_settings.html", context)


@form("/{project}/edit", to=ADMIN_PROJECT)
async def save_project_settings(request: PageRequest, project: ProjectRow, change: SaveProject) -> Redirect:
    avatar = submitted_avatar(change.avatar, remove=change.remove_avatar)
    change = msgspec.structs.replace(change, avatar=avatar)
    await _edit(request, project, change)
    return Redirect(f"{request.here}/edit", flash="Changes saved.")


@form("/{project}/rename", to=OWN_PROJECT, again="/{project}/edit")
async def rename_project(request: PageRequest, project: ProjectRow, change: RenameProject) -> Redirect:
    await _edit(request, project, EditProject(path=change.path.strip()))
    above = project.full_path.rpartition("/")[0]
    return Redirect(f"/{quote(above)}/{quote(change.path.strip())}/edit", flash="Project renamed.")


@form("/{project}/transfer", to=OWN_PROJECT, again="/{project}/edit")
async def transfer_project(request: PageRequest, project: ProjectRow, change: TransferProject) -> Redirect:
    check_typed("confirm_transfer", change.confirm_transfer, project.full_path, WRONG_PATH)
    async with request.transaction() as tx:
        try:
            found, group = await find_transfer(
                tx, request.actor, Ref.of(project.id), Ref(change.group.strip().strip("/")), to=OWN_PROJECT,
                into=ADD_GROUP_PROJECT,
            )  # fmt: skip
        except (errors.NotFound, errors.Forbidden):
            raise errors.invalid({"group": [NO_TARGET]}) from None
        await transfer(tx, request.actor, found, group)
    return Redirect(f"/{quote(group.full_path)}/{quote(project.path)}", flash="Project transferred.")


@form("/{project}/archive", to=OWN_PROJECT, again="/{project}/edit")
async def archive_project(request: PageRequest, project: ProjectRow) -> Redirect:
    await _archive(request, project, archived=True)
    return Redirect(f"{request.here}/edit", flash="Project archived.")


@form("/{project}/unarchive", to=OWN_PROJECT, again="/{project}/edit")
async def unarchive_project(request: PageRequest, project: ProjectRow) -> Redirect:
    await _archive(request, project, archived=False)
    return Redirect(f"{request.here}/edit", flash="Project unarchived.")


@form("/{project}/remove", to=OWN_PROJECT, again="/{project}/edit")
async def remove_project(request: PageRequest, project: ProjectRow, change: RemoveProject) -> Redirect:
    check_typed("confirm_remove", change.confirm_remove, project.full_path, WRONG_PATH)
    async with request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=OWN_PROJECT, lock=True)
        await operations.remove(tx, request.actor, found)
    return Redirect("/", flash=f"{project.full_path} was removed.")


async def _edit(request: PageRequest, project: ProjectRow, change: EditProject) -> None:
    """Takes the steps of the API's route."""
    operations.check_import(request.services, change)
    if change.default_branch is not UNSET:
        await operations.check_default_branch(request.services, project, change.default_branch)
    async with staged_avatar(request.services.files, change.avatar, "project") as avatar, request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=ADMIN_PROJECT, lock=change.moves)
        await operations.edit(tx, request.actor, found, change)
        await avatars.put(tx, project.id, avatar)
        await imports.edit(tx, request.services.vault, request.actor, project.id, change)
    if change.default_branch:
        await operations.update_head(request.services, project)


async def _archive(request: PageRequest, project: ProjectRow, *, archived: bool) -> None:
    async with request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=OWN_PROJECT, lock=True)
        await operations.archive(tx, request.actor, found, archived=archived)
