"""The settings of a group, the dangerous ones last."""

from urllib.parse import quote

import msgspec

from mujina.accounts.users.profile.avatars import staged_avatar, submitted_avatar
from mujina.instance.application_settings.choices import visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import Ref
from mujina.workspaces.group_settings.params import ChangeGroupPath, RemoveGroup, SaveGroup, TransferGroupForm
from mujina.workspaces.groups import avatars, operations, validation
from mujina.workspaces.groups.params import EditGroup
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.groups.transfer import find_group_transfer, transfer_group
from mujina.workspaces.owners.rules import check_typed

_HERE = "/groups/{group}/-/edit"
WRONG_PATH = "is not the path of this group"
NO_TARGET = "is not one that you own"


@view(_HERE, to=ADMIN_GROUP, anonymous=False)
async def show_group_settings(request: PageRequest, group: GroupRow) -> HtmlPage:
    async with request.reading() as tx:
        limit = await validation.visibility_limit(tx, group)
        levels = visibility_choices(request.actor, await read_settings(tx), limit)
    return HtmlPage("workspaces/group_settings.html", {"group": group, "levels": levels})


@form(_HERE, to=ADMIN_GROUP)
async def save_group_settings(request: PageRequest, group: GroupRow, change: SaveGroup) -> Redirect:
    avatar = submitted_avatar(change.avatar, remove=change.remove_avatar)
    change = msgspec.structs.replace(change, avatar=avatar)
    await _edit(request, group, change)
    return Redirect(f"{request.here}/edit", flash="Changes saved.")


@form("/groups/{group}/-/path", to=ADMIN_GROUP, again=_HERE)
async def change_group_path(request: PageRequest, group: GroupRow, change: ChangeGroupPath) -> Redirect:
    path = change.path.strip()
    await _edit(request, group, EditGroup(path=path))
    full_path = "/".join([*group.full_path.split("/")[:-1], path])
    return Redirect(f"/groups/{quote(full_path)}/-/edit", flash="Group path changed.")


@form("/groups/{group}/-/transfer", to=ADMIN_GROUP, again=_HERE)
async def move_group(request: PageRequest, group: GroupRow, change: TransferGroupForm) -> Redirect:
    check_typed("confirm_transfer", change.confirm_transfer, group.full_path, WRONG_PATH)
    target = change.group.strip().strip("/")
    async with request.transaction() as tx:
        try:
            found, parent = await find_group_transfer(
                tx, request.actor, Ref.of(group.id), Ref(target) if target else None
            )
        except (errors.NotFound, errors.Forbidden):
            raise errors.invalid({"group": [NO_TARGET]}) from None
        await transfer_group(tx, request.actor, found, parent)
        try:
            moved = await find_group(tx, request.actor, Ref.of(group.id), to=ADMIN_GROUP)
        except (errors.NotFound, errors.Forbidden):  # owned through its former parent alone
            return Redirect("/dashboard/groups", flash="Group transferred.")
    return Redirect(f"/groups/{quote(moved.full_path)}/-/edit", flash="Group transferred.")


@form("/groups/{group}/-/remove", to=ADMIN_GROUP, again=_HERE)
async def remove_group(request: PageRequest, group: GroupRow, change: RemoveGroup) -> Redirect:
    check_typed("confirm_remove", change.confirm_remove, group.full_path, WRONG_PATH)
    async with request.transaction() as tx:
        found = await find_group(tx, request.actor, Ref.of(group.id), to=ADMIN_GROUP, lock=True)
        await operations.remove(tx, request.actor, found)
    return Redirect("/", flash=f"{group.full_path} was removed.")


async def _edit(request: PageRequest, group: GroupRow, change: EditGroup) -> None:
    async with staged_avatar(request.services.files, change.avatar, "group") as avatar, request.transaction() as tx:
        found = await find_group(tx, request.actor, Ref.of(group.id), to=ADMIN_GROUP, lock=True)
        await operations.edit(tx, request.actor, found, change)
        await avatars.put(tx, group.id, avatar)
