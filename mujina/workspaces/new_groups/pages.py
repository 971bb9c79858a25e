"""The form of a new group, at the top level or in another group."""

from urllib.parse import quote

from msgspec import structs

from mujina.accounts.users.profile.avatars import staged_avatar, submitted_avatar
from mujina.instance.application_settings.choices import default_visibility, visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import UNSET, Params, Ref, Unset
from mujina.workspaces.groups import avatars, operations
from mujina.workspaces.groups.params import CreateGroup
from mujina.workspaces.groups.rules import find_group


class ShowNewGroup(Params):
    """The group above the new one."""

    parent_id: int | Unset | None = UNSET


@view("/groups/new")
async def show_new_group(request: PageRequest, query: ShowNewGroup) -> HtmlPage:
    async with request.reading() as tx:
        settings = await read_settings(tx)
        parent = await operations.find_parent(tx, request.actor, query.parent_id or None, lock=False)
    limit = parent.visibility if parent else None
    context = {
        "parent": parent,
        "visibilities": visibility_choices(request.actor, settings, limit),
        "visibility": default_visibility(request.actor, settings, settings.default_group_visibility, limit),
    }
    return HtmlPage("workspaces/new_group.html", context)


@form("/groups", again="/groups/new")
async def create_group(request: PageRequest, change: CreateGroup) -> Redirect:
    change = structs.replace(change, avatar=submitted_avatar(change.avatar))
    async with staged_avatar(request.services.files, change.avatar, "group") as avatar, request.transaction() as tx:
        group_id = await operations.create(tx, request.actor, change)
        await avatars.put(tx, group_id, avatar)
        group = await find_group(tx, request.actor, Ref.of(group_id))
    return Redirect(f"/{quote(group.full_path)}", flash="Group created.")
