"""Groups, as administrators manage them."""

from msgspec import structs

from mujina.administration.groups.entities import group_facts
from mujina.administration.groups.params import ConfirmedDeletion
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Ref
from mujina.workspaces.groups import entities, filters, operations
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import ADMIN_GROUP, find_group
from mujina.workspaces.owners.rules import check_typed

LIST = "/admin/groups"


@view(LIST, admin=True)
async def list_groups(request: PageRequest, query: ListGroups, page: Page) -> HtmlPage:
    if not query.search:
        query = structs.replace(query, search=UNSET)
    selection = filters.groups(request.actor, query)
    async with request.listing(wide=query.search) as tx:
        groups = await entities.load_page(tx, selection, filters.order(query), page, statistics=True)
    return HtmlPage("administration/groups.html", {"groups": groups}, fragments=("groups",))


@view(f"{LIST}/{{path:path}}", admin=True)
async def show_administrated_group(request: PageRequest, path: str) -> HtmlPage:
    async with request.reading() as tx:
        group = await find_group(tx, request.actor, Ref(path))
        context = {"group": group, "facts": await group_facts(tx, group.id)}
    return HtmlPage("administration/group.html", context)


@form(f"{LIST}/{{path:path}}/-/delete", admin=True, again=f"{LIST}/{{path:path}}")
async def delete_group(request: PageRequest, path: str, typed: ConfirmedDeletion) -> Redirect:
    async with request.transaction() as tx:
        group = await find_group(tx, request.actor, Ref(path), to=ADMIN_GROUP, lock=True)
        check_typed("confirm_delete", typed.confirm_delete, group.full_path)
        await operations.remove(tx, request.actor, group)
    return Redirect(LIST, flash=f"{group.full_path} was deleted.")
